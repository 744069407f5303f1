// biome-ignore lint/suspicious/noExplicitAny: reads replies of every shape
export type Item = any

export type Filter = {
  /** Query string of the unfiltered and the filtered request. */
  given?: string
  /** Query string of the filtered request only. */
  beside?: string
  values: (items: Item[]) => string[]
  matches?: (item: Item, value: string) => boolean
  /** SQL that selects the expected ids for each value, for fields that items omit. */
  statements?: Record<string, string>
  sorts?: { by: (item: Item, value: string) => unknown; isDescending: (value: string) => boolean }
  /** Set when the parameter disables `limit`. */
  isWhole?: boolean
}

export type ListRow = {
  given?: string
  id?: number
  /** Identifying field of an item, by default the cursor's field, or `id` without a cursor. */
  key?: string
  /** Sort keys by value of `sort`, by default the field of the same name. */
  sorts?: Record<string, (item: Item) => unknown>
  /** Effect of each other parameter, or the reason to skip the parameter. */
  filters: Record<string, Filter | string>
}

export const fieldOf = (item: Item, path: string): unknown =>
  path.split('.').reduce((value, name) => value?.[name], item)

const textOf = (value: unknown): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value)

function valuesOf(items: Item[], paths: string[]): string[] {
  const all = items.flatMap((item) => paths.flatMap((path) => fieldOf(item, path)))
  const shown = all.filter((value) => value !== null && value !== undefined && value !== '').map(textOf)
  return [...Map.groupBy(shown, (value) => value)]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([value]) => value)
}

const three = (values: string[]) => [
  ...new Set([0, values.length >> 1, values.length - 1].flatMap((at) => values[at] ?? [])),
]

export const equals = (...paths: string[]): Filter => ({
  values: (items) => three(valuesOf(items, paths)),
  matches: (item, value) =>
    paths.flatMap((path) => fieldOf(item, path)).some((each) => textOf(each) === value),
})

export const contains = (...paths: string[]): Filter => ({
  values: (items) =>
    paths
      .flatMap((path) => three(valuesOf(items, [path]).filter((text) => text.length > 2)).slice(1))
      .map((text) => text.slice(0, -1)),
  matches: (item, value) =>
    paths.some((path) =>
      String(fieldOf(item, path) ?? '')
        .toLowerCase()
        .includes(value.toLowerCase()),
    ),
})

export const oneOf = (path: string): Filter => ({
  values: (items) => [three(valuesOf(items, [path])).join(',')],
  matches: (item, value) => value.split(',').includes(String(fieldOf(item, path))),
})

export const cases = (conditions: Record<string, (item: Item) => boolean>): Filter => ({
  values: () => Object.keys(conditions),
  matches: (item, value) => conditions[value]?.(item) ?? false,
})

export const flag = (holds: (item: Item) => boolean): Filter => cases({ 1: holds, 0: (item) => !holds(item) })

export const below = (path: string): Filter => ({
  values: (items) => three(valuesOf(items, [path])).slice(1),
  matches: (item, value) => Number(fieldOf(item, path)) < Number(value),
})

export const rows = (statements: Record<string, string>): Filter => ({
  values: () => Object.keys(statements),
  statements,
})

export const direction = (path: string): Filter => ({
  values: () => ['asc', 'desc'],
  sorts: { by: (item) => fieldOf(item, path), isDescending: (value) => value === 'desc' },
})

export const sortsBy = (fields: Record<string, string>): Filter => ({
  values: () => Object.keys(fields),
  sorts: { by: (item, value) => fieldOf(item, fields[value] ?? 'id'), isDescending: () => true },
})
