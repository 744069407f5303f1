import type { Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/pins/:kind', page: 'pins-page', access: 'members' }]
