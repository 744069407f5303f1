import type { Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/design', page: 'design-page' }]
