import { uuidv7 } from '#lib/ids.ts'
import { assignments, type Db, insertValues, type Row } from '#platform/database'

export type ImGroupSettings = Row<
  'im_groups',
  'name' | 'description' | 'public' | 'members_only' | 'allow_invites' | 'max_users'
>

export type ImGroupRow = ImGroupSettings &
  Row<'im_groups', 'id' | 'custom' | 'face_id' | 'owner_id' | 'version'> & {
    /** Id of the group in the API. Equals the provider's id after the provider has assigned one. */
    wire_id: string
    created_ms: number
    member: boolean
  }

const columns = (sql: Db, viewerId: number) => sql`
  g.id, coalesce(g.provider_id, g.id::text) as wire_id, g.name, g.description, g.public, g.members_only,
  g.allow_invites, g.max_users, g.custom, g.face_id, g.owner_id, g.version,
  floor(extract(epoch from g.created_at) * 1000)::bigint as created_ms,
  coalesce((select true from im_group_members m where m.group_id = g.id and m.user_id = ${viewerId}), false) as member`

/** Also accepts Kith's own ids, which clients received before the provider assigned an id. */
export async function findGroups(sql: Db, wireIds: string[], viewerId: number): Promise<ImGroupRow[]> {
  const own = wireIds.filter((id) => /^[1-9]\d{0,14}$/.test(id))
  return sql<ImGroupRow[]>`
    select ${columns(sql, viewerId)} from im_groups g
    where g.deleted_at is null and (g.provider_id = any(${wireIds}) or g.id = any(${own}))`
}

export async function lockGroup(sql: Db, id: number, viewerId: number): Promise<ImGroupRow | undefined> {
  const [row] = await sql<ImGroupRow[]>`
    select ${columns(sql, viewerId)} from im_groups g where g.id = ${id} and g.deleted_at is null for update of g`
  return row
}

export async function insertGroup(
  sql: Db,
  ownerId: number,
  settings: ImGroupSettings,
  memberIds: number[],
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into im_groups ${insertValues(sql, { ...settings, creator_id: ownerId, owner_id: ownerId })}
      returning id
    ),
    joined as (
      insert into im_group_members (group_id, user_id)
      select made.id, given.user_id from made, unnest(${[ownerId, ...memberIds]}::bigint[]) as given (user_id)
      on conflict do nothing
    )
    select id from made`
  return row.id
}

export async function updateGroup(
  sql: Db,
  id: number,
  changes: Partial<ImGroupSettings> & { face_id?: number; owner_id?: number },
): Promise<number> {
  const [row] = await sql<[{ version: number }]>`
    update im_groups set ${assignments(sql, changes)}, version = version + 1, updated_at = now()
    where id = ${id} returning version`
  return row.version
}

/** Increments the version of a group whose members changed or that was deleted, so that the next sync sends it. */
export async function touchGroup(sql: Db, id: number): Promise<number> {
  const [row] = await sql<[{ version: number }]>`
    update im_groups set version = version + 1, updated_at = now() where id = ${id} returning version`
  return row.version
}

export async function markDeleted(sql: Db, id: number): Promise<void> {
  await sql`
    with gone as (delete from im_group_members where group_id = ${id}),
    silent as (delete from im_announcements where group_id = ${id}),
    chat as (delete from chats where group_id = ${id})
    update im_groups set deleted_at = now(), face_id = null where id = ${id}`
}

export async function listMembers(
  sql: Db,
  groupIds: number[],
): Promise<{ group_id: number; user_id: number }[]> {
  return sql<{ group_id: number; user_id: number }[]>`
    select m.group_id, m.user_id from im_group_members m join im_groups g on g.id = m.group_id
    where m.group_id = any(${groupIds})
    order by m.group_id, m.user_id <> g.owner_id, m.joined_at, m.user_id`
}

export async function countMembers(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from im_group_members where group_id = ${groupId}`
  return row.n
}

export async function insertMembers(sql: Db, groupId: number, userIds: number[]): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    insert into im_group_members (group_id, user_id)
    select ${groupId}, given.user_id from unnest(${userIds}::bigint[]) as given (user_id)
    on conflict do nothing returning user_id`
  return rows.map(({ user_id }) => user_id)
}

export async function deleteMembers(sql: Db, groupId: number, userIds: number[]): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    delete from im_group_members where group_id = ${groupId} and user_id = any(${userIds}) returning user_id`
  return rows.map(({ user_id }) => user_id)
}

export async function findMembers(sql: Db, groupId: number, userIds: number[]): Promise<Set<number>> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from im_group_members where group_id = ${groupId} and user_id = any(${userIds})`
  return new Set(rows.map(({ user_id }) => user_id))
}

export async function insertAnnouncement(sql: Db, groupId: number, ext: object): Promise<void> {
  await sql`
    insert into im_announcements (id, group_id, ext) values (${uuidv7()}, ${groupId}, ${sql.json(ext as never)})`
}
