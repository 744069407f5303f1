import { isKithError } from '@kith/client'

/** What to tell of something that was thrown: what is wrong with each field where the server said so, or its message. */
export function messageOf(error: unknown): string {
  const fields = isKithError(error) ? Object.values(error.fields).flat() : []
  if (fields.length > 0) return fields.join(' ')
  return error instanceof Error ? error.message : String(error)
}
