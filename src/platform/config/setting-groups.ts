export type SettingReader = {
  text(name: string): string | undefined
  url(name: string, protocols: string[]): string | undefined
  faults: string[]
}

export const HTTP_PROTOCOLS = ['https:', 'http:']

/**
 * Reads the required settings of a service from the variables of `names`. Returns undefined when all of them are
 * unset. Adds a fault for each missing variable when only some are set, and returns an empty text for it.
 */
export function readGroup<Field extends string>(
  { text, faults }: SettingReader,
  purpose: string,
  names: Record<Field, string>,
): Record<Field, string> | undefined {
  const fields = Object.keys(names) as Field[]
  const missing = fields.filter((field) => text(names[field]) === undefined)
  if (missing.length === fields.length) return undefined
  for (const field of missing) faults.push(`${names[field]} is required for ${purpose}`)
  const values = fields.map((field) => [field, text(names[field]) ?? ''])
  return Object.fromEntries(values) as Record<Field, string>
}
