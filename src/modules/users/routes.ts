import { type Login, loginKind } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import {
  attemptCounter,
  type CountAttempt,
  routesOn,
  type Server,
  Type,
  type UnvalidatedCall,
} from '#platform/http'
import { findRelation, findUserId, listUserIds } from './queries.ts'
import { noSuchUser, UserFlagsQuery, UserKeyParams, UserListQuery, UserView } from './schema.ts'
import { userPage, userViews } from './view.ts'

const NAMES_MAX = 100
/** Id in the response when the server reveals only that an account exists (sign-in-21). */
const UNDISCLOSED = -1

/** Returns undefined for another spelling of an id, such as `01` (conventions-4). */
function loginOf(given: string): Login | undefined {
  const login = loginKind(given)
  return login.kind === 'id' && given !== String(login.value) ? undefined : login
}

type TellsAccount = (ctx: Context, field: 'email' | 'phone', value: string) => Promise<boolean>

export const userRoutes = (tellsAccount: TellsAccount) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  route('GET /users', {
    operationId: 'listUsers',
    summary: 'List people by ids, names, a part of the name, or tags',
    access: 'optional',
    query: UserListQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => {
      const { id, name, fetch_by: fetchBy, tags: tagIds, since, order = 'desc', limit } = query
      const names = fetchBy === 'username' && name !== undefined ? keysOf(name) : undefined
      const ids = await listUserIds(sql, {
        ids: id,
        names,
        search: names ? undefined : name,
        tags: tagIds,
        since,
        order,
        viewerId: viewer.id,
        limit: limit ?? Math.max(15, id?.length ?? 0, names?.length ?? 0),
      })
      return userPage(ctx, ids, viewer.id)
    },
  })

  /**
   * Reveals the user of a phone or e-mail only to that user and to administrators. Other viewers learn at
   * most that the account exists.
   */
  const find = async (
    given: string,
    viewer: number,
    countAttempt: CountAttempt,
  ): Promise<number | typeof UNDISCLOSED | undefined> => {
    const login = loginOf(given)
    if (!login) return undefined
    if (login.kind === 'id' || login.kind === 'name') return findUserId(sql, login)
    const id = /^\d+$/.test(given) ? await findUserId(sql, { kind: 'id', value: Number(given) }) : undefined
    if (id !== undefined) return id
    if (await hasAbility(ctx, viewer, 'admin:user:show')) return findUserId(sql, login)
    // Counts the attempt before the lookup, so that the rate limit does not reveal whether the account
    // exists.
    await countAttempt()
    const found = await findUserId(sql, login)
    if (found === viewer) return found
    return (await tellsAccount(ctx, login.kind, login.value)) ? UNDISCLOSED : undefined
  }

  type Lookup = Pick<UnvalidatedCall<'optional', typeof UserKeyParams>, 'uncached' | 'params' | 'viewer'>
  const findOrThrow = async (call: Lookup) => {
    const id = await find(call.params.user, call.viewer.id, () =>
      // Creates the attempt counter lazily, so that responses to lookups by id or name stay cacheable.
      attemptCounter(ctx, call.uncached())(),
    )
    if (id === undefined) throw noSuchUser()
    return id
  }

  route('GET /users/:user', {
    operationId: 'getUser',
    summary:
      'Read a person by id or name; a phone or e-mail finds only yourself, or anyone with `admin:user:show`',
    description: 'For the phone or e-mail of another account, the response is `{"id": -1}`.',
    access: 'optional',
    params: UserKeyParams,
    query: UserFlagsQuery,
    reply: { 200: UserView },
    errors: [noSuchUser],
    precheck: findOrThrow,
    handler: async (call) => {
      const { params, query, viewer } = call
      const login = loginOf(params.user)
      // Skips the lookup of an id, because `userViews` omits unknown users.
      const id = login?.kind === 'id' ? login.value : await findOrThrow(call)
      // Bypasses the reply schema, which requires all fields of a user.
      if (id === UNDISCLOSED)
        return call.uncached().reply.type('application/json; charset=utf-8').send(`{"id":${UNDISCLOSED}}`)
      const { following, follower } = query
      const [users, followed, follows] = await Promise.all([
        userViews(ctx, sql, [id], viewer.id),
        following === undefined ? undefined : findRelation(sql, id, following),
        follower === undefined ? undefined : findRelation(sql, id, follower),
      ])
      const user = users.get(id)
      if (!user) throw noSuchUser()
      return {
        ...user,
        following: followed?.following ?? user.following,
        follower: follows?.follower ?? user.follower,
      }
    },
  })
}

function keysOf(list: string): string[] {
  const keys = new Set(list.split(',').map(nameKey))
  keys.delete('')
  if (keys.size > NAMES_MAX)
    throw invalidField('name', {
      en: `The name field may not have more than ${NAMES_MAX} names.`,
      zh: `名称不能超过 ${NAMES_MAX} 个。`,
    })
  return [...keys]
}
