import { type Static, Type } from '#platform/schema.ts'

/** A stored picture as clients get it (R §3.1, attachment info); `dimension` only for images. */
export const AttachmentView = Type.Object({
  url: Type.String(),
  vendor: Type.String(),
  mime: Type.String(),
  size: Type.Integer({ description: 'bytes' }),
  dimension: Type.Optional(Type.Object({ width: Type.Integer(), height: Type.Integer() })),
})
export type AttachmentView = Static<typeof AttachmentView>

/** What is kept of a storage node beside the thing that shows it; a node never changes, so neither does this. */
export type StoredNode = {
  node: string
  mime: string
  size: number
  width: number | null
  height: number | null
}
