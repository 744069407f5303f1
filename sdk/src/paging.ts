import { LISTS } from './generated/lists.ts'

export type ListPath = keyof typeof LISTS

type ItemsOf<Path extends ListPath> = (typeof LISTS)[Path]['items']

export type ItemOf<Path extends ListPath, Reply> = Reply extends readonly (infer Item)[]
  ? Item
  : ItemsOf<Path> extends keyof Reply
    ? Reply[ItemsOf<Path>] extends readonly (infer Item)[]
      ? Item
      : never
    : never

type Query = Record<string, unknown>
type Init = { params?: { query?: Query | undefined } | undefined; pageSize?: number | undefined }

const PAGE_SIZE = 50

function firstQuery(path: ListPath, { pageSize, params }: Init): Query {
  const given = params?.query ?? {}
  const { max } = LISTS[path]
  return max === null
    ? { ...given }
    : { ...given, limit: Math.min(pageSize ?? (Number(given.limit) || PAGE_SIZE), max) }
}

/** Returns the query of the next page, or null if `reply` is the last page of `query`. */
export function nextQuery(path: ListPath, query: Query, reply: unknown): Query | null {
  const { by, key, items, max } = LISTS[path]
  const list = itemsIn(reply, items)
  const last = list.at(-1)
  const size = max === null ? null : Math.min(Number(query.limit) || PAGE_SIZE, max)
  if (last === undefined || isLast(reply, by, query, list.length, size)) return null
  return { ...query, ...next(path, by, key, query, list.length, last as Record<string, unknown>) }
}

export async function* pagesOf<Reply>(
  path: ListPath,
  init: Init,
  read: (init: Init) => Promise<Reply>,
): AsyncGenerator<Reply, void, undefined> {
  const { pageSize: _, ...rest } = init
  let query: Query | null = firstQuery(path, init)
  while (query) {
    const reply = await read({ ...rest, params: { ...rest.params, query } })
    yield reply
    query = nextQuery(path, query, reply)
  }
}

function itemsIn(reply: unknown, items: string | null): unknown[] {
  return (items === null ? reply : (reply as Record<string, unknown>)[items]) as unknown[]
}

function isLast(reply: unknown, by: string, query: Query, count: number, size: number | null): boolean {
  const { total, meta } = reply as { total?: unknown; meta?: { last_page?: number } }
  const page = Number(query.page ?? 1)
  if (by !== 'page') return size !== null && count < size
  if (meta?.last_page !== undefined) return page >= meta.last_page
  if (typeof total === 'number' && size !== null) return page * size >= total
  return size !== null && count < size
}

function next(
  path: ListPath,
  by: string,
  key: string,
  query: Query,
  count: number,
  last: Record<string, unknown>,
): Query {
  if (by === 'page') return { page: Number(query.page ?? 1) + 1 }
  if (by === 'offset') return { offset: Number(query.offset ?? 0) + count }
  // The hot list needs two cursors, because feeds of equal rank are ordered by id.
  if (path === '/feeds' && query.type === 'hot') return { hot: last.hot, after: last.id }
  return { [by]: fieldOf(last, key) }
}

export const pageItems = (path: ListPath, reply: unknown): unknown[] => itemsIn(reply, LISTS[path].items)

const fieldOf = (item: Record<string, unknown>, key: string): unknown =>
  key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], item)
