import {
  type Answer,
  type ItemOf,
  type Kith,
  type KithError,
  type ListPath,
  nextQuery,
  pageItems,
  type paths,
} from '@kith/client'
import { QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query'
import type { MaybeOptionalInit } from 'openapi-fetch'
import type { PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import { keepHeaders } from './offline.ts'
import type { Reader } from './reader.ts'
import { useSite } from './site.ts'

type GetPath = PathsWithMethod<paths, 'get'>
type InitOf<P extends GetPath> = MaybeOptionalInit<paths[P], 'get'>
type Rest<I> = RequiredKeysOf<I> extends never ? [I?] : [I]

type Query = Record<string, unknown>
type AnyInit = { params?: { query?: Query } }

export type Reading<T> = { queryKey: readonly [string, AnyInit]; answer?: T }
export type Listing<T, I> = { queryKey: readonly [string, AnyInit, 'list']; answer?: T; item?: I }

export const read = <P extends GetPath>(path: P, ...[init]: Rest<InitOf<P>>): Reading<Answer<'get', P>> => ({
  queryKey: [path, (init ?? {}) as AnyInit],
})

export const list = <P extends ListPath & GetPath>(
  path: P,
  ...[init]: Rest<InitOf<P>>
): Listing<Answer<'get', P>, ItemOf<P, Answer<'get', P>>> => {
  const { params, ...rest } = (init ?? {}) as AnyInit
  const query = Object.fromEntries(
    Object.entries({ limit: 15, ...params?.query }).filter(([, value]) => value !== undefined),
  )
  return { queryKey: [path, { ...rest, params: { ...params, query } }, 'list'] }
}

export const startOf = (search: URLSearchParams): Record<string, number> =>
  Object.fromEntries(
    ['after', 'offset'].flatMap((name) => {
      const value = search.get(name)
      return value && /^\d{1,15}$/.test(value) ? [[name, Number(value)]] : []
    }),
  )

export const STALE_MS = 30_000

/** `account`: id of the viewer, or 0 for guests. */
export function createCache(api: Reader, account: number): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // Disables garbage collection timers on the server. Otherwise each timer would keep the cache of its
        // request in memory for ten minutes.
        gcTime: typeof document === 'undefined' ? Number.POSITIVE_INFINITY : 600_000,
        retry: false,
        refetchOnWindowFocus: false,
        // `openVisit` has already loaded the data when a page mounts.
        refetchOnMount: false,
        // Fails at once when the browser is offline, instead of waiting for the connection.
        networkMode: 'always',
        queryFn: ({ queryKey, pageParam, signal }) => {
          const [path, init] = queryKey as [GetPath, AnyInit]
          const params = pageParam ? { ...init.params, query: pageParam as Query } : init.params
          return (api.get as unknown as (path: string, init: object) => Promise<unknown>)(path, {
            ...init,
            params,
            signal,
            headers: keepHeaders(account),
          })
        },
      },
      mutations: { networkMode: 'always' },
    },
  })
}

const pagesOf = ({ queryKey: [path, { params }] }: Listing<unknown, unknown>) => ({
  initialPageParam: params?.query as Query,
  getNextPageParam: (page: unknown, _: unknown, query: Query) => nextQuery(path as ListPath, query, page),
})

/**
 * Loads queries concurrently into the cache. Reuses cached data on back navigation, so that the page looks
 * unchanged.
 */
export const load = (
  cache: QueryClient,
  queries: (Reading<unknown> | Listing<unknown, unknown>)[],
  isBack: boolean,
): Promise<unknown> => {
  const fresh = isBack ? { staleTime: Number.POSITIVE_INFINITY } : {}
  return Promise.all(
    queries.map((query) =>
      query.queryKey.length === 3
        ? cache.fetchInfiniteQuery({
            queryKey: query.queryKey,
            ...pagesOf(query as Listing<unknown, unknown>),
            ...fresh,
          })
        : cache.fetchQuery({ queryKey: query.queryKey, ...fresh }),
    ),
  )
}

export const known = <T>(cache: QueryClient, reading: Reading<T>): T | undefined =>
  cache.getQueryData(reading.queryKey)

export const knownItems = <T, I>(cache: QueryClient, listing: Listing<T, I>): I[] =>
  itemsOf(listing, cache.getQueryData<{ pages: T[] }>(listing.queryKey)?.pages ?? [])

const itemsOf = <T, I>({ queryKey }: Listing<T, I>, pages: T[]): I[] =>
  pages.flatMap((page) => pageItems(queryKey[0] as ListPath, page) as I[])

export const useRead = <T>({ queryKey }: Reading<T>, options: { enabled?: boolean } = {}) =>
  useQuery<T, KithError>({ queryKey, ...options })

export function useList<T, I>(listing: Listing<T, I>, options: { enabled?: boolean } = {}) {
  const result = useInfiniteQuery<T, KithError, { pages: T[] }, readonly unknown[], Query>({
    queryKey: listing.queryKey,
    ...pagesOf(listing),
    ...options,
  } as never)
  const pages = result.data?.pages ?? []
  const [path, { params }] = listing.queryKey
  const last = pages.at(-1)
  return {
    ...result,
    items: itemsOf(listing, pages),
    first: pages[0],
    next:
      result.hasNextPage && last !== undefined && pages.length === 1
        ? nextQuery(path as ListPath, params?.query as Query, last)
        : null,
  }
}

export function useWrite<Given = void, Answer = unknown>(
  write: (api: Kith, given: Given) => Promise<Answer>,
  options: { changes?: string[]; onSuccess?: (answer: Answer, given: Given) => unknown } = {},
) {
  const { api } = useSite()
  const cache = useQueryClient()
  return useMutation<Answer, KithError, Given>({
    mutationFn: (given) => write(api, given),
    onSuccess: async (answer, given) => {
      await options.onSuccess?.(answer, given)
      for (const path of options.changes ?? []) void cache.invalidateQueries({ queryKey: [path] })
    },
  })
}

/** Changes every copy of an object in the cache, as in `change(cache, isFeed(5), (feed) => …)`. */
export function change<T extends object>(
  cache: QueryClient,
  isOne: (each: object) => each is T,
  by: (each: T) => T,
): void {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const next = value.map(walk)
      return next.some((each, n) => each !== value[n]) ? next : value
    }
    if (value === null || typeof value !== 'object') return value
    let next: Record<string, unknown> = value as Record<string, unknown>
    for (const [key, each] of Object.entries(value)) {
      const changed = walk(each)
      if (changed !== each) next = { ...next, [key]: changed }
    }
    return isOne(next) ? by(next) : next
  }
  cache.setQueriesData({}, walk)
}

export function remove(cache: QueryClient, isOne: (each: object) => boolean): void {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.filter((each) => !(each && typeof each === 'object' && isOne(each))).map(walk)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))
  }
  cache.setQueriesData({}, walk)
}
