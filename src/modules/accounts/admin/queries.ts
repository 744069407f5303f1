import { normalizeEmail, normalizePhone } from '#lib/identifiers.ts'
import { escapeLike, grams, nameKey } from '#lib/text.ts'
import { beyondOwnAbilities, holdersOf, selectRoleNames } from '#modules/abilities/index.ts'
import { isUnder } from '#modules/sanctions/index.ts'
import {
  emailTaken,
  NAME_ERRORS,
  phoneTaken,
  sqlNameContainsEvenDisabled,
  Verified,
} from '#modules/users/index.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  planSearch,
  SCANNED,
  when,
} from '#platform/database'
import { apiError, type DeclaredError, forbidden } from '#platform/errors.ts'
import {
  Address,
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  pageOfNewest,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/http'
import { NewPassword } from '../identity/schema.ts'

export const lastFounder = apiError(
  422,
  'last_founder',
  'This is the last founder. Appoint another one first.',
  '这是最后一位创始人，请先指定其他创始人。',
)
export const notOneself = apiError(422, 'not_oneself', 'You cannot disable yourself.', '不能禁用自己。')

export const ACCOUNT_ERRORS: readonly DeclaredError[] = [
  forbidden,
  beyondOwnAbilities,
  ...NAME_ERRORS,
  emailTaken,
  phoneTaken,
]

const STANDINGS = ['active', 'silenced', 'suspended', 'waiting', 'disabled', 'erased'] as const
type Standing = (typeof STANDINGS)[number]

export const ManagedUser = Shared('ManagedUser', {
  id: Type.Integer(),
  name: Type.String(),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  bio: Nullable(Type.String()),
  sex: Type.Integer(),
  location: Nullable(Type.String()),
  verified: Nullable(Verified),
  roles: Type.Array(Type.String()),
  has_password: Type.Boolean(),
  disabled: Type.Boolean(),
  standing: OneOf(STANDINGS, {
    description: '`waiting`: pending approval of the registration. `erased`: deleted by its owner',
  }),
  created_at: Time,
  updated_at: Time,
})
export type ManagedUser = Static<typeof ManagedUser>

export const ManagedUserQuery = Type.Object({
  ...listingQuery(['id', 'name', 'created_at']),
  id: Type.Optional(Id),
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  role: Type.Optional(Text(100)),
  disabled: Type.Optional(Flag()),
  standing: Type.Optional(OneOf(STANDINGS)),
})
export type ManagedUserQuery = Static<typeof ManagedUserQuery>

const Roles = TextList(20, 100)
const Certificate = Shared('VerifiedInput', {
  type: Text(20),
  icon: Type.Optional(Nullable(Address())),
  description: Type.Optional(Nullable(Text(255))),
})

export const UserInput = Shared('NewManagedUser', {
  name: Text(100),
  password: NewPassword,
  email: Type.Optional(Text(128)),
  phone: Type.Optional(Text(32)),
  roles: Type.Optional(Roles),
})
export type UserInput = Static<typeof UserInput>

export const UserChanges = Shared('ManagedUserChanges', {
  name: Type.Optional(Text(100)),
  password: Type.Optional(NewPassword),
  unlink_accounts: Type.Optional(Type.Boolean({ description: 'Also unlinks all external accounts' })),
  email: Type.Optional(Nullable(Text(128))),
  phone: Type.Optional(Nullable(Text(32))),
  roles: Type.Optional(Roles),
  disabled: Type.Optional(Flag()),
  verified: Type.Optional(Nullable(Certificate)),
})
export type UserChanges = Static<typeof UserChanges>

/** Conditions on the user row `u`. The first true condition determines the status of the account. */
const standings = (sql: Db): Record<Exclude<Standing, 'active'>, Fragment> => ({
  erased: sql`u.erased_at is not null`,
  waiting: sql`exists (select from registration_requests r where r.user_id = u.id and r.state = 'waiting')`,
  suspended: isUnder(sql, 'suspension', sql`u.id`),
  disabled: sql`u.deleted_at is not null`,
  silenced: isUnder(sql, 'silence', sql`u.id`),
})

function standingOf(sql: Db): Fragment {
  const { erased, waiting, suspended, disabled, silenced } = standings(sql)
  return sql`case when ${erased} then 'erased' when ${waiting} then 'waiting' when ${suspended} then 'suspended'
    when ${disabled} then 'disabled' when ${silenced} then 'silenced' else 'active' end`
}

function standsAs(sql: Db, standing: Standing): Fragment {
  const { erased, waiting, suspended, disabled, silenced } = standings(sql)
  switch (standing) {
    case 'erased':
      return erased
    case 'waiting':
      return sql`${waiting} and not (${erased})`
    case 'suspended':
      return sql`${suspended} and not (${erased}) and not (${waiting})`
    case 'disabled':
      return sql`${disabled} and not (${erased}) and not (${waiting}) and not (${suspended})`
    case 'silenced':
      return sql`${silenced} and not (${disabled}) and not (${waiting}) and not (${suspended})`
    case 'active':
      return sql`not (${disabled}) and not (${waiting}) and not (${suspended}) and not (${silenced})`
  }
}

const columns = (sql: Db) => sql`
  u.id, u.name, u.email, u.phone, u.bio, u.sex, u.location, u.verified, u.password is not null as has_password,
  u.deleted_at is not null as disabled, ${standingOf(sql)} as standing, u.created_at, u.updated_at,
  ${selectRoleNames(sql, sql`u.id`)} as roles`

export async function listManagedUsers(sql: Db, query: ManagedUserQuery) {
  const { sort = 'id', q, id, email, phone, role, disabled, standing, after = 0 } = query
  const filters = sql`
      ${ifGiven(sql, id, (value) => sql`and u.id = ${value}`)}
      ${ifGiven(sql, email, (value) => sql`and u.email_key = ${normalizeEmail(value)}`)}
      ${ifGiven(sql, phone, (value) => sql`and u.phone = ${normalizePhone(value)}`)}
      ${ifGiven(sql, role, (value) => sql`and u.id in (${holdersOf(sql, value)})`)}
      ${ifGiven(sql, disabled, (value) => (value ? sql`and u.deleted_at is not null` : sql`and u.deleted_at is null`))}
      ${ifGiven(sql, standing, (value) => sql`and ${standsAs(sql, value)}`)}`
  const key = nameKey(q ?? '')
  const newest =
    key === '' || sort !== 'id' || !(await planSearch(sql, 'users', 'name', key)).isFrequent
      ? undefined
      : await pageOfNewest(
          query,
          (most) => sql<ManagedUser[]>`
            with newest as not materialized (
              select * from users ${when(sql, after > 0, () => sql`where id < ${after}`)} order by id desc limit ${SCANNED}
            ),
            found as materialized (
              select u.id from newest u where u.name_key like ${`%${escapeLike(key)}%`} ${filters}
              order by u.id desc limit ${most}
            )
            select ${columns(sql)} from users u where u.id = any(array(select id from found)) order by u.id desc`,
        )
  if (newest) return newest
  const where = sql`where true ${when(sql, q !== undefined, () => sql`and ${sqlNameContainsEvenDisabled(sql, q)}`)} ${filters}`
  const by = { id: undefined, name: sql`u.name_key`, created_at: sql`u.created_at` }[sort]
  const order = { id: sql`u.id`, by, from: sql`users u` }
  return pageOf<ManagedUser>(
    sql,
    // Paginates in a subquery, so that PostgreSQL reads roles only for the users of one page.
    sql`select ${columns(sql)} from users u
      where u.id = any(array(select u.id from users u ${where} ${listingClause(sql, query, order)})) ${listingOrder(sql, query, order)}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}

export async function findManagedUser(sql: Db, id: number): Promise<ManagedUser | undefined> {
  const [row] = await sql<ManagedUser[]>`select ${columns(sql)} from users u where u.id = ${id}`
  return row
}

type Columns = {
  name?: string | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
  verified?: object | null | undefined
}

export async function updateUser(
  sql: Db,
  id: number,
  { name, email, phone, verified }: Columns,
): Promise<void> {
  await sql`
    update users set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, email, (value) => sql`, email = ${value}, email_key = ${value === null ? null : normalizeEmail(value)}, email_verified_at = null`)}
      ${ifGiven(sql, phone, (value) => sql`, phone = ${value}, phone_verified_at = null`)}
      ${ifGiven(sql, verified, (value) => sql`, verified = ${value === null ? null : sql.json(value as never)}`)}
    where id = ${id}`
}
