import { Nullable, Shared, Time, Type } from '#platform/schema.ts'

/** A registration of everybody with how far it came. */
const Registration = Shared('ImRegistration', {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Who asked for it' }),
  total: Type.Integer(),
  done: Type.Integer(),
  last_error: Nullable(Type.String()),
  created_at: Time,
  finished_at: Nullable(Time),
})

/** How instant messaging stands. `waiting_*` is stored here and not confirmed by the provider yet. */
export const ImState = Shared('ImState', {
  provider: Type.String(),
  healthy: Type.Boolean(),
  fault: Nullable(Type.String()),
  accounts: Type.Integer(),
  waiting_accounts: Type.Integer(),
  unregistered: Type.Integer({ description: 'People without a confirmed account' }),
  groups: Type.Integer(),
  waiting_groups: Type.Integer(),
  last_error: Nullable(Type.String()),
  registration: Nullable(Registration),
})
