import { Coins } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/wallet', page: 'wallet-page', access: 'members' },
  { path: '/wallet/money', page: 'money-page', access: 'members' },
  { path: '/wallet/earlier', page: 'earlier-page', access: 'members' },
  { path: '/wallet/recharge', page: 'recharge-page', access: 'members' },
  { path: '/wallet/withdraw', page: 'withdraw-page', access: 'members' },
  { path: '/wallet/exchange', page: 'exchange-page', access: 'members' },
]

export const menu: MenuEntry[] = [
  { path: '/wallet', label: { en: 'Points', zh: '积分' }, icon: Coins, order: 80, for: 'members' },
]
