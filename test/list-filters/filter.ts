/** An item of a list, of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: reads replies of every shape
export type Item = any

export type Filter = {
  /** Parameters of the unfiltered list, as a query string. */
  given?: string
  /** Parameters of the filtered list only. */
  beside?: string
  /** Values to try, from the items of the unfiltered list. */
  values: (items: Item[]) => string[]
  matches?: (item: Item, value: string) => boolean
  /** Statements that select the ids for each value in order, for fields that items do not show. */
  statements?: Record<string, string>
  sorts?: { by: (item: Item, value: string) => unknown; isDescending: (value: string) => boolean }
  /** The list ignores `limit` with this parameter. */
  isWhole?: boolean
}

export type ListRow = {
  /** Parameters that every request needs, as a query string. */
  given?: string
  id?: number
  /** Field that identifies an item. Default: `id`, or the field of the cursor. */
  key?: string
  /** Fields that the values of `sort` order by. Default: the field of the same name. */
  sorts?: Record<string, (item: Item) => unknown>
  /** All other parameters, with their effect or the reason why this test skips them. */
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

/** A condition for each value of a closed set. */
export const cases = (conditions: Record<string, (item: Item) => boolean>): Filter => ({
  values: () => Object.keys(conditions),
  matches: (item, value) => conditions[value]?.(item) ?? false,
})

export const flag = (holds: (item: Item) => boolean): Filter => cases({ 1: holds, 0: (item) => !holds(item) })

export const below = (path: string): Filter => ({
  values: (items) => three(valuesOf(items, [path])).slice(1),
  matches: (item, value) => Number(fieldOf(item, path)) < Number(value),
})

/** Statements that select the ids for each value, in list order. */
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
