import type { Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/feeds/:thing/likes', page: 'supporters-page' },
  { path: '/feeds/:thing/rewards', page: 'supporters-page' },
  { path: '/news/:thing/likes', page: 'supporters-page' },
  { path: '/news/:thing/rewards', page: 'supporters-page' },
  { path: '/group-posts/:thing/likes', page: 'supporters-page' },
  { path: '/group-posts/:thing/rewards', page: 'supporters-page' },
  { path: '/question-answers/:thing/likes', page: 'supporters-page' },
  { path: '/question-answers/:thing/rewards', page: 'supporters-page' },
]
