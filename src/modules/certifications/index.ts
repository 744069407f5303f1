export { certificationTables, showBadges } from './imports/thinksns.ts'
export { CERTIFICATION_FILE } from './schema.ts'
export { endCertification, forgetCertification, mayReadPapers } from './service.ts'
