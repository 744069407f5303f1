import { wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { andAfterRow, type Db, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  CursorBy,
  Empty,
  Int,
  Limit,
  Nullable,
  routesOn,
  type Server,
  Shared,
  Time,
  Type,
} from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import { isUser } from '../queries.ts'
import { noSuchUser, UserParams, UserView } from '../schema.ts'
import { userViews } from '../view.ts'
import { deleteEndedWords } from './muted-words.ts'
import { findAccess, isMuteActive } from './queries.ts'

const HOURS_MAX = 8760
/** Every list of content compares its authors with the muted ones. */
const MUTES_MAX = 1000

const mutesOneself = apiError(422, 'mutes_oneself', 'You cannot mute yourself.', '不能屏蔽自己。')
const tooManyMutes = apiError(
  422,
  'too_many_mutes',
  `You cannot mute more than ${MUTES_MAX} people.`,
  `最多只能屏蔽 ${MUTES_MAX} 人。`,
)

const NewMute = Shared('NewMute', {
  hours: Type.Optional(Int(1, HOURS_MAX, { description: 'Default: no end' })),
})
const MutedPerson = Shared('MutedPerson', { user: UserView, ends_at: Nullable(Time) })
const Relation = Shared('Relation', {
  muted: Type.Boolean(),
  muted_until: Nullable(Time),
  private: Type.Boolean({ description: 'True if only followers see the feeds of this person' }),
  requested: Type.Boolean({ description: 'True while my request to follow this person waits' }),
  requests: Type.Boolean({ description: 'True while a request of this person to follow me waits' }),
})

/** Locks the user's counters, so that concurrent mutes do not exceed the maximum. */
async function insertMute(
  sql: Db,
  userId: number,
  targetId: number,
  hours: number | undefined,
): Promise<{ found: boolean; others: number }> {
  await sql`select from user_counts where user_id = ${userId} for update`
  const [row] = await sql<[{ found: boolean; others: number }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    made as (
      insert into user_mutes as m (user_id, target_id, ends_at)
      select ${userId}, id, now() + make_interval(hours => ${hours ?? null}::int) from target
      on conflict (user_id, target_id) do update set ends_at = excluded.ends_at, created_at = excluded.created_at
    )
    select exists (select from target) as found,
      (select count(*)::int from user_mutes where user_id = ${userId} and target_id <> ${targetId}) as others`
  return row
}

const deleteMute = (sql: Db, userId: number, targetId: number) =>
  sql`delete from user_mutes where user_id = ${userId} and target_id = ${targetId}`

const listMutes = (sql: Db, userId: number, { limit = 15, after }: { limit?: number; after?: number }) => sql<
  { target_id: number; ends_at: string | null }[]
>`
  select m.target_id, m.ends_at from user_mutes m join users u on u.id = m.target_id and u.deleted_at is null
  where m.user_id = ${userId} and ${isMuteActive(sql, 'm')}
    ${andAfterRow(
      sql,
      after,
      sql`m.id`,
      sql`select id from user_mutes where user_id = ${userId} and target_id = ${after ?? 0}`,
    )}
  order by m.id desc limit ${limit}`

async function findMute(sql: Db, userId: number, targetId: number) {
  const [row] = await sql<{ ends_at: string | null }[]>`
    select m.ends_at from user_mutes m
    where m.user_id = ${userId} and m.target_id = ${targetId} and ${isMuteActive(sql, 'm')}`
  return row
}

const BATCH = 5000

/** Deletes mutes past their end, which no query applies any more. */
async function deleteEndedMutes({ sql }: Context): Promise<void> {
  for (;;) {
    const { count } = await sql`
      delete from user_mutes where (user_id, target_id) in (
        select user_id, target_id from user_mutes where ends_at < now() limit ${BATCH}
      )`
    if (count < BATCH) return
  }
}

export const muteTasks = (ctx: Context): TaskList => ({
  delete_ended_mutes: async () => {
    await deleteEndedMutes(ctx)
    await deleteEndedWords(ctx)
  },
})

export const muteSchedules: Schedule[] = [{ task: 'delete_ended_mutes', pattern: '40 * * * *' }]

export function muteRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('PUT /user/mutes/:user', {
    operationId: 'muteUser',
    summary: 'Mute a person, who does not learn of it; with `hours` for a time',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    body: NewMute,
    reply: { 204: Empty },
    errors: [noSuchUser, mutesOneself, tooManyMutes],
    async handler({ params, body, viewer }) {
      if (params.user === viewer.id) throw mutesOneself()
      await transaction(sql, async (tx) => {
        const { found, others } = await insertMute(tx, viewer.id, params.user, body.hours)
        if (!found) throw noSuchUser()
        if (others >= MUTES_MAX) throw tooManyMutes()
      })
    },
  })

  route('DELETE /user/mutes/:user', {
    operationId: 'unmuteUser',
    summary: 'End a mute',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    async handler({ params, viewer }) {
      const { count } = await deleteMute(sql, viewer.id, params.user)
      if (count === 0 && !(await isUser(sql, params.user))) throw noSuchUser()
    },
  })

  route('GET /user/mutes', {
    operationId: 'listMutedUsers',
    summary: 'List people I mute, newest first',
    access: 'user',
    query: Type.Object({ limit: Limit(), after: CursorBy('user.id') }),
    reply: { 200: Type.Array(MutedPerson) },
    async handler({ viewer, query }) {
      const rows = await listMutes(sql, viewer.id, query)
      const users = await userViews(
        ctx,
        sql,
        rows.map((row) => row.target_id),
        viewer.id,
      )
      return rows.flatMap((row) => {
        const user = users.get(row.target_id)
        return user ? [{ user, ends_at: wireTimeOrNull(row.ends_at) }] : []
      })
    },
  })

  route('GET /user/relations/:user', {
    operationId: 'getRelation',
    summary: 'Read my settings about a person',
    access: 'user',
    params: UserParams,
    reply: { 200: Relation },
    errors: [noSuchUser],
    load: async ({ params }) => {
      if (!(await isUser(sql, params.user))) throw noSuchUser()
    },
    async handler({ params, viewer }) {
      const [mute, access] = await Promise.all([
        findMute(sql, viewer.id, params.user),
        findAccess(sql, viewer.id, params.user),
      ])
      return { muted: mute !== undefined, muted_until: wireTimeOrNull(mute?.ends_at ?? null), ...access }
    },
  })
}
