import { withWireTimes } from '#lib/time.ts'
import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { UserParams } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { accountErased } from '#platform/errors.ts'
import { Created, Empty, routesOn, type Server } from '#platform/http'
import { factorOff } from '../identity/schema.ts'
import {
  ACCOUNT_ERRORS,
  findManagedUser,
  lastFounder,
  listManagedUsers,
  ManagedUser,
  ManagedUserQuery,
  notOneself,
  UserChanges,
  UserInput,
} from './queries.ts'
import { addUser, changeUser, type Endings, removeSecondFactorOf } from './service.ts'

export const adminUserRoutes = (endings: Endings) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: people' })

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/users',
    tag: 'Admin: people',
    ability: 'admin:user:show',
    subject: 'users',
    entity: 'User',
    noun: 'an account',
    nouns: 'accounts, disabled ones included; `q` searches names',
    param: 'user',
    item: ManagedUser,
    query: ManagedUserQuery,
    list: listManagedUsers,
    find: findManagedUser,
    view: async (rows) => rows.map(withWireTimes),
  })
  const load = ({ params }: { params: { user: number } }) => get(params.user)

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
    load,
    handler: (call) => changeUser(ctx, call, call.loaded, call.body, endings),
  })

  route('DELETE /admin/users/:user/second-factor', {
    operationId: 'adminTakeSecondFactorOff',
    summary: 'Remove the lost second factor of an account; its owner is notified',
    access: { ability: 'admin:user:update' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, factorOff],
    load,
    handler: (call) => removeSecondFactorOf(ctx, call, call.loaded.id),
  })

  route('DELETE /admin/users/:user', {
    operationId: 'adminDisableUser',
    summary: 'Disable an account',
    access: { ability: 'admin:user:delete' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, lastFounder, notOneself, accountErased],
    load,
    handler: (call) => changeUser(ctx, call, call.loaded, { disabled: true }, endings),
  })
}
