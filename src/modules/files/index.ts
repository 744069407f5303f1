export { AttachmentView, type StoredNode } from './schema.ts'
export { attachmentView } from './view.ts'
