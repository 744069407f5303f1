export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of a system or driver error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
