import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { findUnpaidFile, purchaseRoutes } from './purchases.ts'
import { purchaseChecks, selectNodeContents } from './queries.ts'

export const purchasePersonal = [
  personalTable({
    file: 'purchases',
    about: { en: 'Your purchases', zh: '您购买的内容' },
    table: 'purchases',
    key: ['id'],
    columns: ['id', 'node_id', 'currency', 'amount', 'created_at'],
    extra: (sql) => sql`, (
      select json_build_object('channel', n.channel, 'raw', n.raw, 'subject', n.subject)
      from paid_nodes n where n.id = t.node_id
    ) as node`,
  }),
  personalTable({
    file: 'prices',
    about: { en: 'Paid content you sell', zh: '您设置的付费内容' },
    table: 'paid_nodes',
    within: 'channel',
    key: ['raw'],
    columns: [
      ...(['id', 'channel', 'raw', 'subject', 'body', 'amount', 'extra', 'free'] as const),
      ...(['closed_at', 'created_at', 'updated_at'] as const),
    ],
  }),
]

export const module: Module = {
  endings: () => [{ type: 'paid-nodes', on: selectNodeContents }],
  routes: () => [purchaseRoutes],
  personalData: { place: 20, tables: purchasePersonal },
  paymentChecks: purchaseChecks,
  offers: { findUnpaidFile },
}
