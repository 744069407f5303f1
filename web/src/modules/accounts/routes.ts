import { Settings, UserRound } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export { SessionEnd as Bar } from './session-end.tsx'

export const routes: Route[] = [
  { path: '/users/:user', page: 'profile-page', goneIn: 'users' },
  { path: '/users/:user/followers', page: 'people-page' },
  { path: '/users/:user/followings', page: 'people-page' },
  { path: '/me', page: 'me-page', access: 'members' },
  { path: '/sign-in', page: 'sign-in-page', access: 'guests' },
  { path: '/sign-in/:provider', page: 'outside-page' },
  { path: '/forgotten-password', page: 'forgotten-page', access: 'guests' },
  { path: '/settings', page: 'settings-page', access: 'members' },
  { path: '/account/certification', page: 'certification-page', access: 'members' },
  { path: '/account/security', page: 'security-page', access: 'members' },
  { path: '/account/invitations', page: 'invitations-page', access: 'members' },
  { path: '/account/sessions', page: 'sessions-page', access: 'members' },
  { path: '/account/blocked', page: 'blocked-page', access: 'members' },
  { path: '/account/muted', page: 'muted-page', access: 'members' },
  { path: '/account/contact', page: 'contact-page', access: 'members' },
  { path: '/account/exports', page: 'data-page', access: 'members' },
  { path: '/account/deletion', page: 'data-page', access: 'members' },
  { path: '/account/sanctions', page: 'sanctions-page', access: 'members' },
  { path: '/unsubscribe', page: 'unsubscribe-page' },
  { path: '/join', page: 'join-page', access: 'guests' },
]

export const menu: MenuEntry[] = [
  {
    path: '/me',
    label: { en: 'Profile', zh: '我' },
    icon: UserRound,
    order: 90,
    for: 'members',
  },
  {
    path: '/settings',
    label: { en: 'Settings', zh: '设置' },
    icon: Settings,
    order: 95,
    for: 'members',
  },
]
