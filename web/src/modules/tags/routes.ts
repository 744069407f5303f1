import type { Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/account/tags', page: 'tags-page', access: 'members' }]
