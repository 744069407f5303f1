import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

export const EXPORT_STATES = ['waiting', 'ready', 'failed', 'expired'] as const

const fields = {
  id: Type.Integer(),
  state: OneOf(EXPORT_STATES),
  size: Nullable(Type.Integer({ description: 'bytes of the archive' })),
  rows: Nullable(Type.Integer({ description: 'how much it tells of' })),
  files: Nullable(Type.Integer({ description: 'how many uploads it holds' })),
  created_at: Time,
  finished_at: Nullable(Time),
  expires_at: Nullable(Time),
}

/** An export of one's data (rights-9). */
export const DataExport = Shared('DataExport', fields)
export type DataExport = Static<typeof DataExport>

/** The same for somebody who cannot sign in: with the address of the archive, once it is ready. */
export const OutsideExport = Shared('DataExportOutside', {
  ...fields,
  url: Nullable(Type.String({ description: 'good for an hour' })),
})

export const ExportParams = Type.Object({ export: Id })

/** `json` tells the address instead of leading to it. */
export const ArchiveQuery = Type.Object({ json: Type.Optional(Text(10)) })

export const ArchiveAddress = Shared('DataExportAddress', {
  url: Type.String({ description: 'good for an hour, without a token' }),
})

export const SignedExportQuery = Type.Object({
  expires: Type.Optional(Text(20)),
  signature: Type.Optional(Text(200)),
})
