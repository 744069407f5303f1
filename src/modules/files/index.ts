export { fileNotUsable, UPLOAD_ERRORS } from './errors.ts'
export { bindFiles, listAttached } from './imports/queries.ts'
export {
  createFileList,
  ImportPath,
  type SavedFiles,
  saveFiles,
  type WantedFile,
} from './imports/service.ts'
export {
  applyPictures,
  copyPictures,
  listPictures,
  nodePicture,
  usePicture,
  wantPictures,
} from './imports/thinksns/pictures.ts'
export { copyUploads, fileTables } from './imports/thinksns/uploads.ts'
export { bindUses, findUses, listUses } from './imports/thinksns/uses.ts'
export { clearLeftovers, countLeftovers } from './leftovers/service.ts'
export { releaseNodes } from './nodes/queries.ts'
export { attachmentViews, getStoredNode, storedNode } from './nodes/service.ts'
export { AttachmentView, FileView, type StoredNode, type UnpaidKind } from './schema.ts'
export {
  adoptFiles,
  attachFiles,
  detachFiles,
  fileViews,
  isCutShort,
  readUpload,
  saveUpload,
} from './uploads/service.ts'
export { attachmentView, fileUrl, signedFileUrl } from './view.ts'
