import type { Schema } from '@kith/client'
import { ATOM, atomOf, type Entry } from '../../app/atom.ts'
import type { Document } from '../../app/page.ts'
import { plainText } from '../../app/text.ts'

const entryOf = (feed: Schema<'Feed'>): Entry => {
  const text = plainText(feed.feed_content_tree, feed.feed_content)
  return {
    path: `/feeds/${feed.id}`,
    title: text.split('\n')[0] ?? '',
    text,
    time: feed.created_at,
    author: feed.user?.name ?? '—',
  }
}

export const documents: Document[] = [
  {
    path: '/feeds.atom',
    type: ATOM,
    make: async ({ api, origin }) => {
      const [{ feeds }, { identity }] = await Promise.all([
        api.get('/feeds', { params: { query: { limit: 20, trees: true } } }),
        api.get('/bootstrappers'),
      ])
      return atomOf({ origin, path: '/feeds.atom', title: identity.name, entries: feeds.map(entryOf) })
    },
  },
  {
    path: '/users/:user/feeds.atom',
    type: ATOM,
    make: async ({ api, origin, params }) => {
      const user = await api.get('/users/{user}', { params: { path: { user: params.user ?? '' } } })
      const { feeds } = await api.get('/feeds', {
        params: { query: { type: 'users', user: user.id, limit: 20, trees: true } },
      })
      const path = `/users/${user.id}/feeds.atom`
      return atomOf({ origin, path, title: user.name, entries: feeds.map(entryOf) })
    },
  },
  {
    path: '/feed-topics/:topic/feeds.atom',
    type: ATOM,
    make: async ({ api, origin, params }) => {
      const path = { topicID: Number(params.topic) }
      const topic = await api.get('/feed/topics/{topicID}', { params: { path } })
      const feeds = await api.get('/feed/topics/{topicID}/feeds', {
        params: { path, query: { limit: 20, trees: true } },
      })
      return atomOf({
        origin,
        path: `/feed-topics/${topic.id}/feeds.atom`,
        title: `#${topic.name}`,
        entries: feeds.map(entryOf),
      })
    },
  },
]
