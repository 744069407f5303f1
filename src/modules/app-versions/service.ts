import { escapeLike } from '#lib/text.ts'
import { withWireTimes } from '#lib/time.ts'
import {
  andAfterRow,
  type Db,
  ifGiven,
  listingClause,
  onConstraint,
  type Tables,
  type Tx,
  when,
} from '#platform/database'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Address,
  Cursor,
  Flag,
  Int,
  Limit,
  listingQuery,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const noSuchVersion = apiError(
  404,
  'no_such_app_version',
  'This version does not exist.',
  '版本不存在。',
)

export const versionTaken = fieldError(
  'version_code',
  'app_version_taken',
  'A version with this number already exists.',
  '该版本号已存在。',
)

const APP_TYPES = ['android', 'ios'] as const

export const AppVersion = Shared('AppVersion', {
  id: Type.Integer(),
  type: OneOf(APP_TYPES),
  version: Type.String(),
  version_code: Type.Integer(),
  description: Type.String(),
  link: Type.String({ description: 'Download URL' }),
  is_forced: Type.Integer({ description: '1 when older versions must update' }),
  created_at: Time,
  updated_at: Time,
})
export type AppVersion = Static<typeof AppVersion>

export const AppVersionsQuery = Type.Object({ type: OneOf(APP_TYPES), after: Cursor, limit: Limit() })
export type AppVersionsQuery = Static<typeof AppVersionsQuery>

export const NewAppVersion = Shared('NewAppVersion', {
  type: OneOf(APP_TYPES),
  version: Text(50),
  version_code: Int(1, 2_147_483_647),
  description: Text(10_000),
  link: Address(),
  is_forced: Type.Optional(Flag()),
})
export type NewAppVersion = Static<typeof NewAppVersion>

export const AppVersionListQuery = Type.Object({
  ...listingQuery(['id', 'version_code']),
  type: Type.Optional(OneOf(APP_TYPES)),
})
export type AppVersionListQuery = Static<typeof AppVersionListQuery>

export type AppVersionRow = Tables['app_versions'] & { type: AppVersion['type'] }

export const listVersions = (sql: Db, { type, after, limit = 15 }: AppVersionsQuery) => sql<AppVersionRow[]>`
  select * from app_versions v where v.type = ${type}
    ${andAfterRow(sql, after, sql`v.version_code, v.id`, sql`select version_code, id from app_versions where id = ${after ?? 0}`)}
  order by v.version_code desc, v.id desc limit ${limit}`

export function listVersionRecords(sql: Db, query: AppVersionListQuery) {
  const where = sql`where true
    ${ifGiven(sql, query.type, (type) => sql`and v.type = ${type}`)}
    ${ifGiven(sql, query.q, (text) => sql`and v.version ilike ${`%${escapeLike(text)}%`}`)}`
  const by = query.sort === 'version_code' ? sql`v.version_code` : undefined
  return pageOf<AppVersionRow>(
    sql,
    sql`
      select v.* from app_versions v ${where}
      ${listingClause(sql, query, { id: sql`v.id`, by, from: sql`app_versions v` })}`,
    sql`select count(*)::int as total from app_versions v ${where}`,
  )
}

export async function findVersion(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<AppVersionRow | undefined> {
  const [row] = await sql<AppVersionRow[]>`
    select * from app_versions where id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

type Columns = Pick<AppVersionRow, 'type' | 'version' | 'version_code' | 'description' | 'link' | 'is_forced'>

async function insertVersion(sql: Db, made: Columns): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into app_versions (type, version, version_code, description, link, is_forced)
    values (${made.type}, ${made.version}, ${made.version_code}, ${made.description}, ${made.link}, ${made.is_forced})
    returning id`
  return row.id
}

const updateVersion = (sql: Db, id: number, made: Columns) => sql`
  update app_versions set type = ${made.type}, version = ${made.version}, version_code = ${made.version_code},
    description = ${made.description}, link = ${made.link}, is_forced = ${made.is_forced}, updated_at = now()
  where id = ${id}`

export const deleteVersion = (sql: Db, id: number) => sql`delete from app_versions where id = ${id}`

export const versionView = (row: AppVersionRow): AppVersion => ({
  ...withWireTimes(row),
  is_forced: row.is_forced ? 1 : 0,
})

const TAKEN = { app_versions_taken: versionTaken }

export const addVersion = (tx: Tx, body: NewAppVersion): Promise<number> =>
  onConstraint(insertVersion(tx, { is_forced: false, ...body }), TAKEN)

export async function changeVersion(
  tx: Tx,
  row: AppVersionRow,
  changes: Partial<NewAppVersion>,
): Promise<void> {
  await onConstraint(updateVersion(tx, row.id, { ...row, ...changes }), TAKEN)
}
