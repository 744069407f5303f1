import { ATOM, atomOf } from '../../app/atom.ts'
import type { Document } from '../../app/page.ts'

export const documents: Document[] = [
  {
    path: '/news.atom',
    type: ATOM,
    make: async ({ api, origin }) => {
      const [articles, { identity }] = await Promise.all([
        api.get('/news', { params: { query: { limit: 20 } } }),
        api.get('/bootstrappers'),
      ])
      return atomOf({
        origin,
        path: '/news.atom',
        title: identity.name,
        entries: articles.map(({ id, title, subject, author, created_at }) => ({
          path: `/news/${id}`,
          title,
          text: subject,
          time: created_at,
          author,
        })),
      })
    },
  },
]
