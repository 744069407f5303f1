import { Id, Int, Nullable, OneOf, Shared, type Static, Text, Type } from '#platform/schema.ts'

/** A stored picture as clients get it; `dimension` only for images (files-8). */
export const AttachmentView = Shared('Attachment', {
  url: Type.String(),
  vendor: Type.String(),
  mime: Type.String(),
  size: Type.Integer({ description: 'bytes' }),
  dimension: Type.Optional(Shared('Dimension', { width: Type.Integer(), height: Type.Integer() })),
})
export type AttachmentView = Static<typeof AttachmentView>

/** What is kept of a storage node beside the content that shows it; a node never changes, so neither does this. */
export type StoredNode = {
  node: string
  mime: string
  size: number
  width: number | null
  height: number | null
}

/** An upload as it appears in feeds, articles and posts; `file` is the same id, which older clients read. */
export const FileView = Shared('File', {
  id: Type.Integer(),
  file: Type.Integer(),
  size: Nullable(Type.String({ description: 'width x height of pictures and films' })),
  mime: Type.String(),
})
export type FileView = Static<typeof FileView>

/** What a file has to be paid for. Null: it is free, paid by the viewer, or the viewer's own. */
export type UnpaidKind = 'read' | 'download' | 'listen' | null

export const FileParams = Type.Object({ file: Id })

/** Only for the documentation: the parts of a multipart body are read as they arrive. */
export const UploadForm = Shared('UploadForm', {
  file: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      maxLength: 1_073_741_824,
      description: 'the bytes',
    }),
  ),
})

export const Md5Params = Type.Object({ md5: Text(32, { pattern: '^[0-9a-fA-F]{32}$' }) })

/** Any value of `json` but 0 and false asks for JSON. */
export const FileQuery = Type.Object({
  w: Type.Optional(Int(0, 10_000)),
  h: Type.Optional(Int(0, 10_000)),
  q: Type.Optional(Int(0, 100)),
  b: Type.Optional(Int(0, 100)),
  json: Type.Optional(Text(16, { 'x-empty': true })),
})

/** What an upload is called from now on, and where its sender can look at it before anything shows it (files-15). */
export const UploadedFile = Shared('UploadedFile', {
  message: Type.Array(Type.String()),
  id: Type.Integer(),
  url: Type.String({ description: 'good for one to two hours, without a token' }),
})

/** The address of the bytes of a file. */
export const FileUrl = Shared('FileUrl', { url: Type.String() })

export const SignedQuery = Type.Object({
  rule: Type.Optional(Text(100)),
  expires: Type.Optional(Text(20)),
  signature: Type.Optional(Text(100)),
})

export const NodeParams = Type.Object({ node: Text(512) })

/** The rest of an address below `/storage`. */
export const OldPath = Type.Object({ '*': Text(512) })

export const RuleQuery = Type.Object({ rule: Type.Optional(Text(200)) })

/** Largest picture that goes through a storage task (files-7). */
export const maxNodeBytes = 2_097_152

/** The picture for which a place is asked. */
export const StorageTask = Shared('NewStorageTask', {
  filename: Text(255, { pattern: '\\.[A-Za-z0-9]{1,10}$', description: 'with its extension' }),
  hash: Text(32, { pattern: '^[0-9a-fA-F]{32}$', description: 'MD5 of the bytes' }),
  size: Int(1, maxNodeBytes),
  mime_type: OneOf(['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const),
  storage: Shared('StorageChannel', { channel: OneOf(['public'] as const) }),
})
export type StorageTask = Static<typeof StorageTask>

/** How to send the bytes: `method` to `uri` with these headers. `form` and `file_key` are for providers with forms. */
export const StorageTaskView = Shared('StorageTask', {
  uri: Type.String(),
  method: Type.String(),
  headers: Shared('StorageTaskHeaders', {
    'x-plus-storage-hash': Type.String(),
    'Content-Type': Type.String(),
  }),
  form: Type.Null(),
  file_key: Type.Null(),
  node: Type.String(),
})

/** A stored picture, by its node. */
export const NodeReply = Shared('StorageNode', { node: Type.String() })
