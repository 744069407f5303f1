import type { Section } from '../areas/area.ts'
import type { Text } from '../shell/text.ts'

export type PageEntry = { name: string; section: Section; label: Text; icon: string; operation: string }

export const PAGES: readonly PageEntry[] = [
  {
    name: 'appearance',
    section: 'site',
    label: ['Appearance', '外观'],
    icon: 'appearance',
    operation: 'patch settings',
  },
  {
    name: 'mails',
    section: 'site',
    label: ['Mails', '邮件'],
    icon: 'mail',
    operation: 'get mails',
  },
  {
    name: 'settings',
    section: 'site',
    label: ['Settings', '设置'],
    icon: 'settings',
    operation: 'get settings',
  },
  {
    name: 'backups',
    section: 'system',
    label: ['Backups', '备份'],
    icon: 'backup',
    operation: 'get backups',
  },
  {
    name: 'audit-log',
    section: 'system',
    label: ['Audit log', '操作日志'],
    icon: 'audit',
    operation: 'get audit-log',
  },
  {
    name: 'ledger',
    section: 'money',
    label: ['Ledger audit', '账本核对'],
    icon: 'ledger',
    operation: 'get ledger/audit',
  },
  {
    name: 'im',
    section: 'system',
    label: ['Instant messaging', '即时通讯'],
    icon: 'chat',
    operation: 'get im',
  },
]
