import { Open, Shared, Type } from '#platform/schema.ts'

/** What a client needs before anybody signs in (sign-in-1). Empty values are left out, but for two that are always read. */
export const Bootstrap = Shared('Bootstrap', {
  'server:version': Type.String(),
  limit: Type.Integer({ description: 'page size where none is asked for: fewer items mean the last page' }),
  'pay-validate-user-password': Type.Boolean({ description: 'whether payments need `password`' }),
  site: Open,
  registerSettings: Open,
  currency: Open,
  wallet: Open,
  feed: Open,
  news: Open,
  'news:contribute': Open,
  checkin: Open,
  'im:helper-user': Type.Optional(Type.Integer()),
  ad: Type.Optional(Type.Array(Open, { description: 'what to show while the client starts, in order' })),
  hots_area: Type.Optional(Type.Array(Shared('HotArea', { name: Type.String(), sort: Type.Integer() }))),
  'question:apply_amount': Type.Integer(),
  'question:onlookers_amount': Type.Integer(),
  'question:anonymity_rule': Type.Optional(Type.String()),
  'question:reward_rule': Type.Optional(Type.String()),
  'group:create': Open,
  'group:reward': Open,
})
