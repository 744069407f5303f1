import { withWireTimes } from '#lib/time.ts'
import { mayDoMore } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty } from '#platform/schema.ts'
import { accountErased } from '../deletion/errors.ts'
import { factorOff } from '../second-factor/errors.ts'
import { UserParams } from '../users/schema.ts'
import { ACCOUNT_ERRORS, lastFounder, notOneself } from './errors.ts'
import { findManagedUser, listManagedUsers } from './queries.ts'
import { ManagedUser, ManagedUserQuery, UserChanges, UserInput } from './schema.ts'
import { addUser, changeUser, type EndCertification, takeFactorOff } from './service.ts'

/** Accounts, disabled ones included (administration-6). */
export const adminUserRoutes = (endCertification: EndCertification) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })

  const get = async ({ params }: { params: { user: number } }): Promise<ManagedUser> => {
    const row = await findManagedUser(sql, params.user)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/users', {
    operationId: 'adminListUsers',
    summary: 'List accounts, disabled ones included; `q` searches names',
    access: { ability: 'admin:user:show' },
    query: ManagedUserQuery,
    reply: { 200: Listing(ManagedUser) },
    handler: async ({ query }) => {
      const { data, total } = await listManagedUsers(sql, query)
      return { data: data.map(withWireTimes), total }
    },
  })

  route('GET /admin/users/:user', {
    operationId: 'adminGetUser',
    summary: 'Read an account',
    access: { ability: 'admin:user:show' },
    params: UserParams,
    reply: { 200: ManagedUser },
    load: get,
    handler: ({ loaded }) => withWireTimes(loaded),
  })

  route('POST /admin/users', {
    operationId: 'adminCreateUser',
    summary: 'Create an account that can sign in at once',
    access: { ability: 'admin:user:add' },
    body: UserInput,
    reply: { 201: Created },
    errors: ACCOUNT_ERRORS,
    handler: async (call) => ({ id: await addUser(ctx, call, call.body) }),
  })

  route('PATCH /admin/users/:user', {
    operationId: 'adminUpdateUser',
    summary: 'Change, disable or enable an account',
    access: { ability: 'admin:user:update' },
    params: UserParams,
    body: UserChanges,
    reply: { 204: Empty },
    errors: [...ACCOUNT_ERRORS, lastFounder, notOneself, accountErased],
    load: get,
    handler: (call) => changeUser(ctx, call, call.loaded, call.body, endCertification),
  })

  route('DELETE /admin/users/:user/second-factor', {
    operationId: 'adminTakeSecondFactorOff',
    summary: 'Take the second factor off an account whose owner lost it; they are told',
    access: { ability: 'admin:user:update' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [mayDoMore, factorOff],
    load: get,
    handler: (call) => takeFactorOff(ctx, call, call.loaded.id),
  })

  route('DELETE /admin/users/:user', {
    operationId: 'adminDisableUser',
    summary: 'Disable an account',
    access: { ability: 'admin:user:delete' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [mayDoMore, lastFounder, notOneself, accountErased],
    load: get,
    handler: (call) => changeUser(ctx, call, call.loaded, { disabled: true }, endCertification),
  })
}
