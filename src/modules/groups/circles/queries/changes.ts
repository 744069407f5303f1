import { geoCell } from '#lib/geo.ts'
import { grams, nameKey } from '#lib/text.ts'
import type { Currency } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database.ts'
import type { Mode, Role } from '../../schema.ts'

export type GroupPlace = { location: string; longitude: number; latitude: number; geo_hash: string }

export type GroupValues = {
  name: string
  category_id: number
  mode: Mode
  money: number
  allow_feed: boolean
  permissions: Role[]
  summary: string | null
  notice: string | null
}

/** Makes a circle with its founder in it. */
export async function insertGroup(
  sql: Db,
  userId: number,
  group: GroupValues & { place: GroupPlace | null },
): Promise<number> {
  const { name, place } = group
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into groups (name, name_key, name_grams, user_id, category_id, mode, money, allow_feed, permissions,
        summary, notice, location, longitude, latitude, geo_hash, geo_cell)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${userId}, ${group.category_id}, ${group.mode},
        ${group.money}, ${group.allow_feed}, ${group.permissions}, ${group.summary}, ${group.notice},
        ${place?.location ?? null}, ${place?.longitude ?? null}, ${place?.latitude ?? null},
        ${place?.geo_hash ?? null}, ${place ? geoCell(place) : null})
      returning id
    ),
    counted as (insert into group_counts (group_id, users_count) select id, 1 from made),
    founder as (
      insert into group_members (group_id, user_id, audit, role) select id, ${userId}::bigint, 1, 'founder' from made
    )
    select id from made`
  return row.id
}

/** Changes the fields that are given. */
export async function updateGroup(
  sql: Db,
  id: number,
  changes: Partial<GroupValues> & { avatar?: number; place?: GroupPlace; im_group_id?: string },
): Promise<void> {
  const { name, place, avatar, im_group_id } = changes
  const set = (column: Exclude<keyof GroupValues, 'name'>) => {
    const value = changes[column]
    return value === undefined ? sql`` : sql`, ${sql(column as string)} = ${value}`
  }
  await sql`
    update groups set updated_at = now()
      ${name === undefined ? sql`` : sql`, name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}`}
      ${set('category_id')} ${set('mode')} ${set('money')} ${set('allow_feed')} ${set('permissions')} ${set('summary')}
      ${set('notice')} ${avatar === undefined ? sql`` : sql`, avatar = ${avatar}`}
      ${im_group_id === undefined ? sql`` : sql`, im_group_id = ${im_group_id}`}
      ${
        place
          ? sql`, location = ${place.location}, longitude = ${place.longitude}, latitude = ${place.latitude},
              geo_hash = ${place.geo_hash}, geo_cell = ${geoCell(place)}`
          : sql``
      }
    where id = ${id}`
}

/** Gives a circle these tags and no others. */
export async function replaceTags(sql: Db, groupId: number, tagIds: number[]): Promise<void> {
  await sql`delete from group_tags where group_id = ${groupId} and tag_id <> all (${tagIds})`
  await sql`
    insert into group_tags (group_id, tag_id) select ${groupId}, id from unnest(${tagIds}::bigint[]) as t (id)
    on conflict do nothing`
}

/** Counts a circle that can be found now, or no longer. */
export const addToTotal = (sql: Db, by: 1 | -1) =>
  sql`update group_totals set groups_count = groups_count + ${by}::int where one`

/** Changes the state of a circle; undefined when it is in it already. */
export async function setAudit(sql: Db, id: number, audit: 1 | 2) {
  const [row] = await sql<{ was: number; name: string; founder: number }[]>`
    with held as (
      select id, audit from groups where id = ${id} and deleted_at is null and audit <> ${audit} for no key update
    )
    update groups g set audit = ${audit}, updated_at = now() from held h where g.id = h.id
    returning h.audit as was, g.name, (
      select m.user_id from group_members m where m.group_id = g.id and m.role = 'founder'
    ) as founder`
  return row
}

/** Hides a circle for good; undefined when there is none. */
export async function markDeleted(sql: Db, id: number) {
  const [row] = await sql<{ audit: number }[]>`
    update groups set deleted_at = now() where id = ${id} and deleted_at is null returning audit`
  return row
}

/** Takes all waiting requests to join back; answers those that were paid for. */
export const closeRequests = (sql: Db, groupId: number) => sql<
  { id: number; user_id: number; fee: number; currency: Currency }[]
>`
  with closed as (
    update group_member_logs set status = 3, audit_at = now() where group_id = ${groupId} and status = 0
    returning id, user_id, fee, currency
  )
  select id, user_id, fee, currency from closed where fee > 0 order by id`

/** Deletes some of the people of a deleted circle; answers how many. */
export async function deleteMembers(sql: Db, groupId: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from group_members where group_id = ${groupId} and user_id in (
      select user_id from group_members where group_id = ${groupId} limit ${limit}
    )`
  return gone.count
}

/** Deletes what is left of a deleted circle. */
export const deleteGroup = (sql: Db, id: number) =>
  sql`delete from groups where id = ${id} and deleted_at is not null`
