export {
  attachImported,
  createFileList,
  ImportPath,
  listAttached,
  type SavedFiles,
  saveFiles,
  type WantedFile,
} from './imports/service.ts'
export { type Drawing, drawPictures } from './media/draw.ts'
export { MediaError } from './media/errors.ts'
export { inspectMedia, type Media } from './media/inspect.ts'
export { readDuration } from './media/sound.ts'
export {
  findNode,
  getStoredNode,
  markNodesUnused,
  nodeKey,
  parseNode,
  readOwnNode,
  storeNode,
} from './nodes/service.ts'
export {
  AttachmentView,
  type FileRoutesOptions,
  FileView,
  fileBroken,
  fileMissing,
  fileNotUsable,
  fileTooLarge,
  maxNodeBytes,
  refusedFile,
  type StoredNode,
  type UnpaidKind,
  UPLOAD_ERRORS,
  type uploadLimits,
} from './schema.ts'
export { attachmentView, deleteOrphanedObjects, fileUrl, signedFileUrl } from './service.ts'
export { findStoredFiles } from './uploads/queries.ts'
export {
  attachFiles,
  attachPicture,
  attachUnattached,
  cleanMedia,
  detachFiles,
  fileViews,
  isTruncatedUpload,
  readUpload,
  saveUpload,
} from './uploads/service.ts'
