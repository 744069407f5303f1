import { LISTS } from './generated/lists.ts'

/** Paths of the lists that have pages. */
export type ListPath = keyof typeof LISTS

type ItemsOf<Path extends ListPath> = (typeof LISTS)[Path]['items']

/** What a list is of, when `Reply` is what its pages look like. */
export type ItemOf<Path extends ListPath, Reply> = Reply extends readonly (infer Item)[]
  ? Item
  : ItemsOf<Path> extends keyof Reply
    ? Reply[ItemsOf<Path>] extends readonly (infer Item)[]
      ? Item
      : never
    : never

type Query = Record<string, unknown>
type Init = { params?: { query?: Query | undefined } | undefined; pageSize?: number | undefined }

/** What a page has unless the caller says otherwise. */
const PAGE_SIZE = 50

/** The pages of a list, one request each, until one is shorter than it may be (conventions of the API). */
export async function* pagesOf<Reply>(
  path: ListPath,
  init: Init,
  read: (init: Init) => Promise<Reply>,
): AsyncGenerator<Reply, void, undefined> {
  const { by, key, items, max } = LISTS[path]
  const { pageSize, ...rest } = init
  const given = rest.params?.query ?? {}
  const size = Math.min(pageSize ?? (Number(given.limit) || PAGE_SIZE), max ?? Number.POSITIVE_INFINITY)
  let query: Query = max === null ? { ...given } : { ...given, limit: size }
  for (;;) {
    const reply = await read({ ...rest, params: { ...rest.params, query } })
    yield reply
    const list = itemsIn(reply, items)
    const last = list.at(-1)
    if (last === undefined || isLast(reply, by, query, list.length, max === null ? null : size)) return
    query = { ...query, ...next(path, by, key, query, list.length, last as Record<string, unknown>) }
  }
}

function itemsIn(reply: unknown, items: string | null): unknown[] {
  return (items === null ? reply : (reply as Record<string, unknown>)[items]) as unknown[]
}

/** Whether nothing can come after a page: it says so itself where it knows, else it is short. */
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
  // What is hot goes on below the rank of the last one, and among those of one rank below its id.
  if (path === '/feeds' && query.type === 'hot') return { hot: last.hot, after: last.id }
  return { [by]: fieldOf(last, key) }
}

/** A field of an item, or of an object in it: `user.id`. */
const fieldOf = (item: Record<string, unknown>, key: string): unknown =>
  key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], item)
