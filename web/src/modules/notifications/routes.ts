import { Bell } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'
import { useUnread } from './unread.ts'

export const routes: Route[] = [
  { path: '/notifications', page: 'notifications-page', access: 'members' },
  { path: '/notifications/preferences', page: 'preferences-page', access: 'members' },
  { path: '/notifications/:type', page: 'notifications-page', access: 'members' },
]

export const menu: MenuEntry[] = [
  {
    path: '/notifications',
    label: { en: 'Notifications', zh: '通知' },
    icon: Bell,
    order: 60,
    for: 'members',
    isMain: true,
    useCount: useUnread,
  },
]
