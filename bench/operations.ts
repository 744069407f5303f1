export const READERS = { few: 100, many: 100_000 } as const
export type Reader = keyof typeof READERS

export type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: (n: number) => object
  range?: 'topics' | 'feeds' | 'people' | 'posts' | 'songs' | 'news' | 'questions'
  as?: Reader | 'viewer'
  isGuest?: true
  against?: string
}

const HOT = [
  '/feed/topics',
  '/feed/topics/{n}/feeds',
  '/feeds?type=new',
  '/music/songs',
  '/news',
  '/news/{n}',
]

export const OPERATIONS: Operation[] = [
  { name: 'GET /feed/topics', method: 'GET', path: '/feed/topics' },
  { name: 'GET /feed/topics/{id}', method: 'GET', path: '/feed/topics/{n}', range: 'topics' },
  { name: 'GET /feed/topics/{id}/feeds', method: 'GET', path: '/feed/topics/{n}/feeds', range: 'topics' },
  { name: 'GET /feeds?type=new', method: 'GET', path: '/feeds?type=new' },
  {
    name: 'POST /feeds',
    method: 'POST',
    path: '/feeds',
    body: (n) => ({ feed_content: 'A short note from the bench.', feed_from: 1, feed_mark: n }),
  },
  { name: 'PUT /user/feed-topics/{id}', method: 'PUT', path: '/user/feed-topics/{n}', range: 'topics' },
  {
    name: 'GET /group-posts/{id}/likes',
    method: 'GET',
    path: '/group-posts/{n}/likes',
    range: 'posts',
  },
  {
    name: 'GET /questions/{question}/answers',
    method: 'GET',
    path: '/questions/{n}/answers',
    range: 'questions',
  },
  {
    name: 'GET /user/question-answer/collections',
    method: 'GET',
    path: '/user/question-answer/collections',
    as: 'viewer',
  },
  { name: 'GET /music/songs', method: 'GET', path: '/music/songs' },
  { name: 'GET /music/{music}', method: 'GET', path: '/music/{n}', range: 'songs' },
  {
    name: 'GET /music/{music}/comments',
    method: 'GET',
    path: '/music/{n}/comments',
    range: 'songs',
  },
  {
    name: 'POST /music/{music}/comments',
    method: 'POST',
    path: '/music/{n}/comments',
    range: 'songs',
    body: (n) => ({ body: `What I think of the song, number ${n}` }),
  },
  { name: 'GET /news/cates', method: 'GET', path: '/news/cates' },
  { name: 'GET /news', method: 'GET', path: '/news' },
  { name: 'GET /news/{news}', method: 'GET', path: '/news/{n}', range: 'news' },
  { name: 'GET /news/{news}/comments', method: 'GET', path: '/news/{n}/comments', range: 'news' },
  ...['/user/notification-statistics', '/user/notifications?type=comment'].flatMap((path): Operation[] => {
    const few = `GET ${path} of ${READERS.few}`
    return [
      { name: few, method: 'GET', path, as: 'few' },
      { name: `GET ${path} of ${READERS.many}`, method: 'GET', path, as: 'many', against: few },
    ]
  }),
  ...HOT.map((path): Operation => {
    const range = path.startsWith('/news') ? 'news' : 'topics'
    const name = `GET ${path.replace('{n}', '{id}')} as a guest`
    return { name, method: 'GET', path, isGuest: true, ...(path.includes('{n}') ? { range } : {}) }
  }),
]

export type Range = { from: number; count: number }

/** Fractional part of the golden ratio. Its multiples modulo 1 spread evenly between 0 and 1. */
const STEP = 0.618_033_988_749_894_9

/**
 * Returns the id for the n-th request. Reads favor low ids by Zipf's law, as on a real site, and writes spread
 * evenly.
 */
export function idAt({ from, count }: Range, n: number, isRead: boolean): number {
  if (!isRead) return from + (n % count)
  return from + Math.floor((count + 1) ** ((n * STEP) % 1)) - 1
}
