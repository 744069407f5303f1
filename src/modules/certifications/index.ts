export { noCertification } from './errors.ts'
export { certificationTables, showBadges } from './imports/thinksns.ts'
export {
  type CategoryRow,
  type CertificationRow,
  certificationColumns,
  findCategory,
  findCertification,
  listCategories,
} from './queries.ts'
export {
  CERTIFICATION_FILE,
  CERTIFICATION_TYPES,
  CertificationChanges,
  CertificationView,
  Description,
  NewCertification,
} from './schema.ts'
export {
  addCertified,
  changeCategory,
  changeCertified,
  endCertification,
  mayReadPapers,
  pass,
  reject,
  removeCertification,
} from './service.ts'
export { certificationViews } from './view.ts'
