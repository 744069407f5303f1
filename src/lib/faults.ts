/** What an error says of itself; of what is thrown and no error, its text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code that the system or a driver gave an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
