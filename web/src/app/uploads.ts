import { KithError } from '@kith/client'
import type { Boot } from './site.ts'

/** `node`: picture for `uploadNode`. `any`: every type that the site stores. */
type Use = 'picture' | 'media' | 'node' | 'any'

function typesFor({ uploads }: Boot['settings'], use: Use): string[] {
  if (use === 'node') return uploads.node_mime_types
  const wanted = { picture: /^image\//, media: /^(image|video)\//, any: /./ }[use]
  return uploads.mime_types.filter((type) => wanted.test(type))
}

/** Types for the `accept` attribute of a file field. */
export const acceptOf = (settings: Boot['settings'], use: Use): string => typesFor(settings, use).join()

/** Throws the failure that the server would return, before the file is sent. */
export function checkFile(file: File, settings: Boot['settings'], use: Use): void {
  const { uploads } = settings
  const types = typesFor(settings, use)
  const most = use === 'node' ? uploads.node_max_bytes : uploads.max_bytes
  // The server knows the type of a file whose name has no known ending.
  if (file.type && !types.includes(file.type))
    throw new KithError(422, 'file_not_accepted', '', { body: { types } })
  if (file.size > most) throw new KithError(422, 'file_too_large', '', { body: { most } })
}
