import { loginKind } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, type CountAttempt, type Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { isAccountUsed } from '../codes/queries.ts'
import { storedAccount } from '../codes/service.ts'
import { UserView } from '../schema.ts'
import { noSuchUser } from './errors.ts'
import { findRelation, findUserId, listUserIds } from './queries.ts'
import { UserFlagsQuery, UserKeyParams, UserListQuery } from './schema.ts'
import { peopleOverlay, userPage, userViews } from './view.ts'

const NAMES_MAX = 100
/** Stands for a person of whom only the existence is told (sign-in-21). */
const SOMEBODY = -1

/** People by what is known of them (sign-in-13). */
export function userRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  route('GET /users', {
    operationId: 'listUsers',
    replica: true,
    summary: 'List people by ids, names, a part of the name, or tags',
    access: 'optional',
    kept: peopleOverlay,
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
        limit: limit ?? Math.max(15, id?.length ?? 0, names?.length ?? 0),
      })
      return userPage(ctx, ids, viewer.id)
    },
  })

  /** Phones and e-mails find oneself, and others only for who may see them anyway. The rest learn that somebody has one. */
  const find = async (
    key: string,
    viewer: number,
    countAttempt: CountAttempt,
  ): Promise<number | typeof SOMEBODY | undefined> => {
    const login = loginKind(key)
    if (login.kind === 'id' || login.kind === 'name') return findUserId(sql, login)
    const id = /^\d+$/.test(key) ? await findUserId(sql, { kind: 'id', value: Number(key) }) : undefined
    if (id !== undefined) return id
    if (await hasAbility(ctx, viewer, 'admin:user:show')) return findUserId(sql, login)
    // Before anything is looked up, so that the limit itself tells nothing.
    await countAttempt()
    const found = await findUserId(sql, login)
    if (found === viewer) return found
    if (!(await readSettings(ctx))['users:tell-known-accounts']) return undefined
    return (await isAccountUsed(sql, storedAccount(login.kind, login.value))) ? SOMEBODY : undefined
  }

  route('GET /users/:user', {
    operationId: 'getUser',
    replica: true,
    summary: 'Read a person by id or name; by phone or e-mail oneself, or for holders of `admin:user:show`',
    description: 'By the phone or e-mail of somebody else the answer is `{"id": -1}`: the account exists.',
    access: 'optional',
    kept: 'each',
    params: UserKeyParams,
    query: UserFlagsQuery,
    reply: { 200: UserView },
    errors: [noSuchUser],
    load: async (call) => {
      const id = await find(call.params.user, call.viewer.id, () =>
        // Asked only where somebody may be guessing: what needs no guess is kept.
        attemptsOf(ctx, call)(),
      )
      if (id === undefined) throw noSuchUser()
      return id
    },
    handler: async (call) => {
      const { loaded: id, query, viewer } = call
      // As text: the reply is no person, so it must not pass for one with fields missing.
      if (id === SOMEBODY)
        return call.reply.type('application/json; charset=utf-8').send(`{"id":${SOMEBODY}}`)
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

/** The keys of a comma list of names. */
function keysOf(list: string): string[] {
  const keys = new Set(list.split(',').map(nameKey))
  keys.delete('')
  if (keys.size > NAMES_MAX)
    throw invalidField('name', {
      en: `The name field may not have more than ${NAMES_MAX} names.`,
      zh: `name 不能超过 ${NAMES_MAX} 个。`,
    })
  return [...keys]
}
