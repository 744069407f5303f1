/** People with notifications, and how many. */
export const READERS = { few: 100, many: 100_000 } as const
export type Reader = keyof typeof READERS

/** One operation of the bench. `vary` in the path or body is replaced by a number that differs between requests. */
export type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: (n: number) => object
  /** Numbers that `{n}` in the path runs through; 1 to `size.topics` and so on. */
  range?: 'topics' | 'feeds' | 'people' | 'posts' | 'songs' | 'news' | 'questions'
  /** Who asks: the one with few or with many notifications; else the person of all other requests. */
  as?: Reader
  /** The operation that this one should cost no more than, whatever there is more of. */
  against?: string
}

/** Stands for a number in a path: what each request varies. */
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
]
