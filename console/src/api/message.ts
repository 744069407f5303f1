import { isKithError } from '@kith/client'

export function messageOf(error: unknown): string {
  const fields = isKithError(error) ? Object.values(error.fields).flat() : []
  if (fields.length > 0) return fields.join(' ')
  return error instanceof Error ? error.message : String(error)
}
