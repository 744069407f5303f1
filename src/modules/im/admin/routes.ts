import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { Nullable, routesOn, type Server, Shared, Time, Type } from '#platform/http'
import { findImState } from '../drift/service.ts'
import type { Registration } from '../registrations/service.ts'

/** A registration of all users with its progress. */
const RegistrationView = Shared('ImRegistration', {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Who asked for it' }),
  total: Type.Integer(),
  done: Type.Integer(),
  last_error: Nullable(Type.String()),
  created_at: Time,
  finished_at: Nullable(Time),
})

/** State of instant messaging. `waiting_*` counts what the provider has not confirmed yet. */
const ImState = Shared('ImState', {
  provider: Type.String(),
  healthy: Type.Boolean(),
  fault: Nullable(Type.String()),
  accounts: Type.Integer(),
  waiting_accounts: Type.Integer(),
  unregistered: Type.Integer({ description: 'People without a confirmed account' }),
  groups: Type.Integer(),
  waiting_groups: Type.Integer(),
  last_error: Nullable(Type.String()),
  registration: Nullable(RegistrationView),
})

const registrationView = ({ last_user_id: _, ...row }: Registration) => ({
  ...row,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
})

/** Admin routes for the state of instant messaging. */
export function adminImRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: messaging' })

  route('GET /admin/im', {
    operationId: 'adminGetImState',
    summary: 'Read the state of the chat provider, its backlog and the last bulk registration',
    access: { ability: 'im: manage' },
    reply: { 200: ImState },
    handler: async () => {
      const { registration, fault, ...state } = await findImState(ctx)
      return {
        ...state,
        healthy: fault === null,
        fault,
        registration: registration ? registrationView(registration) : null,
      }
    },
  })
}
