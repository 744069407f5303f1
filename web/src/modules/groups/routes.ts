import { UsersRound } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/groups', page: 'groups-page' },
  { path: '/groups/new', page: 'new-group-page', access: 'members' },
  { path: '/groups/mine', page: 'groups-page', access: 'members' },
  { path: '/groups/:group', page: 'group-page' },
  { path: '/groups/:group/members', page: 'members-page' },
  { path: '/groups/:group/edit', page: 'edit-group-page', access: 'members' },
  { path: '/groups/:group/requests', page: 'requests-page', access: 'members' },
  { path: '/groups/:group/posts/:post', page: 'group-post-page' },
  { path: '/group-posts/:post', page: 'post-link-page' },
]

export const menu: MenuEntry[] = [
  { path: '/groups', label: { en: 'Groups', zh: '圈子' }, icon: UsersRound, order: 50, for: 'all' },
]
