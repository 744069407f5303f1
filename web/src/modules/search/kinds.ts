import type { Reader } from '../../app/reader.ts'

type Found = { id: number; path: string; time: string }

type Page = { limit: number; after?: number }

const changed = ({ created_at, updated_at }: { created_at: string; updated_at?: string }) =>
  updated_at ?? created_at

export const KINDS: Record<string, (api: Reader, query: Page) => Promise<Found[]>> = {
  feeds: async (api, query) =>
    (await api.get('/feeds', { params: { query } })).feeds
      .filter(({ paid_node }) => !paid_node || paid_node.paid)

      .map((each) => ({ id: each.id, path: `/feeds/${each.id}`, time: changed(each) })),
  users: async (api, { limit, after }) =>
    (
      await api.get('/users', { params: { query: { limit, order: 'desc', ...(after ? { after } : {}) } } })
    ).map((each) => ({ id: each.id, path: `/users/${each.id}`, time: changed(each) })),
  'feed-topics': async (api, query) =>
    (await api.get('/feed/topics', { params: { query } })).map((each) => ({
      id: each.id,
      path: `/feed-topics/${each.id}`,
      time: each.created_at,
    })),
  news: async (api, query) =>
    (await api.get('/news', { params: { query } })).map((each) => ({
      id: each.id,
      path: `/news/${each.id}`,
      time: changed(each),
    })),
  questions: async (api, query) =>
    (await api.get('/questions', { params: { query: { ...query, type: 'all' } } })).map((each) => ({
      id: each.id,
      path: `/questions/${each.id}`,
      time: changed(each),
    })),
  groups: async (api, query) =>
    (await api.get('/groups', { params: { query } }))
      .filter(({ mode }) => mode === 'public')

      .map((each) => ({ id: each.id, path: `/groups/${each.id}`, time: changed(each) })),
  music_specials: async (api, query) =>
    (await api.get('/music/specials', { params: { query } }))
      .filter(({ paid_node }) => !paid_node || paid_node.paid)
      .map((each) => ({ id: each.id, path: `/music_specials/${each.id}`, time: changed(each) })),
  musics: async (api, query) =>
    (await api.get('/music/songs', { params: { query } })).map((each) => ({
      id: each.id,
      path: `/musics/${each.id}`,
      time: changed(each),
    })),
  'group-posts': async (api, query) =>
    (await api.get('/group-posts', { params: { query } }))
      .filter(({ group }) => group?.mode === 'public')
      .map((each) => ({
        id: each.id,
        path: `/groups/${each.group_id}/posts/${each.id}`,
        time: changed(each),
      })),
}

/** The kind with a name from a URL. `constructor` is no kind. */
export const kindOf = (name: string) => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined)

export const newestOf = async (api: Reader, kind: string): Promise<number> =>
  (await kindOf(kind)?.(api, { limit: 1 }))?.[0]?.id ?? 0
