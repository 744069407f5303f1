import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  CursorBy,
  Empty,
  Listing,
  listingQuery,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { isUser, nameContains } from './queries.ts'
import { noSuchUser, UserParams, UserView } from './schema.ts'
import { userViews } from './view.ts'

/**
 * `followed`: every new user follows the famous user. `each`: the famous user also follows every new user.
 */
const FAMOUS_TYPES = ['followed', 'each'] as const
type FamousType = (typeof FAMOUS_TYPES)[number]

export async function followFamous(sql: Db, userId: number): Promise<void> {
  await sql`
    with famous as (
      select f.user_id, f.type from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
      where f.user_id <> ${userId}
    ),
    -- Locks the counters by user id before the insertion of follows, so that concurrent registrations do not
    -- deadlock.
    locked as (
      select user_id from user_counts
      where exists (select from famous) and (user_id = ${userId} or user_id in (select user_id from famous))
      order by user_id for update
    ),
    links as (
      insert into user_follows (user_id, target_id)
      select ${userId}::bigint, user_id from famous
      union all
      select user_id, ${userId}::bigint from famous where type = 'each'
      on conflict do nothing returning user_id, target_id
    )
    update user_counts c set
      followings_count = c.followings_count + (select count(*) from links l where l.user_id = c.user_id),
      followers_count = c.followers_count + (select count(*) from links l where l.target_id = c.user_id),
      updated_at = now()
    from locked where c.user_id = locked.user_id`
}

async function makeFamous(sql: Db, userId: number, type: FamousType): Promise<boolean | undefined> {
  const [row] = await sql<{ changed: boolean }[]>`
    with person as (select id from users where id = ${userId} and deleted_at is null),
    kept as (
      insert into famous_users as f (user_id, type) select id, ${type} from person
      on conflict (user_id) do update set type = excluded.type where f.type <> excluded.type
      returning user_id
    )
    select exists (select from kept) as changed from person`
  return row?.changed
}

async function endFame(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`delete from famous_users where user_id = ${userId} returning user_id`
  return rows.length > 0
}

const FamousTypeName = OneOf(FAMOUS_TYPES)

const Famous = Shared('FamousUser', { type: FamousTypeName, created_at: Time, user: UserView })

const FamousQuery = Type.Object({
  ...listingQuery(['created_at', 'id']),
  after: CursorBy('user.id'),
  type: Type.Optional(FamousTypeName),
})
type FamousQuery = Static<typeof FamousQuery>

const FamousBody = Shared('Fame', { type: OneOf(FAMOUS_TYPES) })

function listFamous(sql: Db, { sort = 'created_at', order, q, type, ...page }: FamousQuery) {
  const from = sql`from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
    where true ${nameContains(sql, q)} ${ifGiven(sql, type, (value) => sql`and f.type = ${value}`)}`
  const by = sort === 'created_at' ? sql`f.created_at` : undefined
  return pageOf<{ id: number; type: FamousType; created_at: string }>(
    sql,
    sql`select u.id, f.type, f.created_at ${from}
      ${listingClause(sql, { order, ...page }, { id: sql`f.user_id`, by, from: sql`famous_users f` })}`,
    sql`select count(*)::int as total ${from}`,
  )
}

async function countFamous(sql: Db): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from famous_users`
  return row.total
}

const FAMOUS_MAX = 50
const tooMany = apiError(
  422,
  'too_many_famous',
  `New users can follow at most ${FAMOUS_MAX} people automatically.`,
  `新用户默认关注的用户不能超过 ${FAMOUS_MAX} 个。`,
)

export function adminFamousRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }

  route('GET /admin/user-famous', {
    operationId: 'adminListFamousUsers',
    summary: 'List people whom new users follow automatically, newest first',
    access,
    query: FamousQuery,
    reply: { 200: Listing(Famous) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listFamous(sql, query)
      const ids = data.map(({ id }) => id)
      const users = await userViews(ctx, sql, ids, viewer.id)
      const shown = data.flatMap(({ id, type, created_at: createdAt }) => {
        const user = users.get(id)
        return user ? [{ type, created_at: wireTime(createdAt), user }] : []
      })
      return { data: shown, total }
    },
  })

  route('PUT /admin/user-famous/:user', {
    operationId: 'adminMakeUserFamous',
    summary: 'Make new users follow a person; with `each` the person follows back',
    access,
    params: UserParams,
    body: FamousBody,
    reply: { 204: Empty },
    errors: [noSuchUser, tooMany],
    precheck: async ({ params }) => {
      if (!(await isUser(sql, params.user))) throw noSuchUser()
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { user } = call.params
        const { type } = call.body
        const changed = await makeFamous(tx, user, type)
        if (changed === undefined) throw noSuchUser()
        if ((await countFamous(tx)) > FAMOUS_MAX) throw tooMany()
        if (changed)
          await recordAudit(tx, call, {
            action: 'users.famous',
            subjectType: 'users',
            subjectId: user,
            after: { type },
          })
      }),
  })

  route('DELETE /admin/user-famous/:user', {
    operationId: 'adminEndUserFame',
    summary: 'Stop new users from following a person; 404 when they do not',
    access,
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { user } = call.params
        if (!(await endFame(tx, user))) throw noSuchUser()
        await recordAudit(tx, call, { action: 'users.unfamous', subjectType: 'users', subjectId: user })
      }),
  })
}
