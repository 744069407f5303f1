import type { Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/pages/:slug', page: 'site-text-page' }]
