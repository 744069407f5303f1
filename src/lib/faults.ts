export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
