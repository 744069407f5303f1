import { MessagesSquare } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'
import { useUnreadChats } from './unread.ts'

export const routes: Route[] = [
  { path: '/chats', page: 'chats-page', access: 'members' },
  { path: '/chats/new', page: 'new-chat-page', access: 'members' },
  { path: '/chats/members/:group', page: 'chat-members-page', access: 'members' },
  { path: '/chats/:chat', page: 'chat-page', access: 'members' },
]

export const menu: MenuEntry[] = [
  {
    path: '/chats',
    label: { en: 'Messages', zh: '私信' },
    icon: MessagesSquare,
    order: 65,
    for: 'members',
    isMain: true,
    useCount: useUnreadChats,
  },
]
