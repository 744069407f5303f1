import { createHash } from 'node:crypto'
import type { Db, Sql } from '#platform/database'
import {
  type Announcement,
  type GroupSettings,
  ImError,
  type ImProvider,
  type Outcome,
  type Outcomes,
} from './provider.ts'

/** A plain SHA-256 suffices, because these passwords are random and long. */
const hash = (password: string) => createHash('sha256').update(password).digest('hex')

async function insertEmbeddedAccounts(
  sql: Db,
  accounts: { name: string; password: string }[],
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    insert into im_embedded_accounts (name, password_hash)
    select name, decode(hash, 'hex')
    from unnest(${accounts.map(({ name }) => name)}::text[], ${accounts.map(({ password }) => hash(password))}::text[])
      as given (name, hash)
    order by name
    on conflict do nothing returning name`
  return rows.map(({ name }) => name)
}

async function updateEmbeddedPassword(sql: Db, name: string, password: string): Promise<boolean> {
  const updated = await sql`
    update im_embedded_accounts set password_hash = decode(${hash(password)}, 'hex') where name = ${name}`
  return updated.count > 0
}

async function lockEmbeddedAccount(sql: Db, name: string): Promise<boolean> {
  const updated = await sql`update im_embedded_accounts set locked = true where name = ${name}`
  return updated.count > 0
}

async function unlockEmbeddedAccount(sql: Db, name: string, password: string): Promise<boolean> {
  const updated = await sql`
    update im_embedded_accounts set locked = false, password_hash = decode(${hash(password)}, 'hex')
    where name = ${name}`
  return updated.count > 0
}

export async function hasEmbeddedPassword(sql: Db, name: string, password: string): Promise<boolean> {
  const rows = await sql`
    select from im_embedded_accounts where name = ${name} and not locked and password_hash = decode(${hash(password)}, 'hex')`
  return rows.length > 0
}

/** Inserts a group unless it exists. Returns false if the owner has no account. */
async function insertEmbeddedGroup(
  sql: Db,
  id: string,
  owner: string,
  settings: GroupSettings,
): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with owner as (select name from im_embedded_accounts where name = ${owner}),
    made as (
      insert into im_embedded_groups (id, owner, members, settings)
      select ${id}, name, array[name], ${sql.json(settings)} from owner on conflict do nothing
    )
    select exists (select from owner) as found`
  return row.found
}

async function findEmbeddedGroups(
  sql: Db,
  ids: string[],
): Promise<{ id: string; settings: GroupSettings }[]> {
  return sql<{ id: string; settings: GroupSettings }[]>`
    select id, settings from im_embedded_groups where id = any(${ids})`
}

async function findEmbeddedMembers(
  sql: Db,
  id: string,
): Promise<{ owner: string; names: string[] } | undefined> {
  const [row] = await sql<{ owner: string; names: string[] }[]>`
    select owner, members as names from im_embedded_groups where id = ${id}`
  return row
}

async function updateEmbeddedGroup(sql: Db, id: string, settings: GroupSettings): Promise<boolean> {
  const updated = await sql`
    update im_embedded_groups set settings = ${sql.json(settings)} where id = ${id}`
  return updated.count > 0
}

async function updateEmbeddedOwner(sql: Db, id: string, owner: string): Promise<boolean> {
  const updated = await sql`
    update im_embedded_groups set owner = ${owner} where id = ${id} and ${owner} = any(members)`
  return updated.count > 0
}

async function updateEmbeddedMembers(
  sql: Db,
  id: string,
  names: string[],
  kind: 'add' | 'remove',
): Promise<{ owner: string; members: string[]; unknown: string[] } | undefined> {
  const wanted =
    kind === 'add'
      ? sql`array(select unnest(g.members) union select name from im_embedded_accounts where name = any(${names}))`
      : sql`array(select m from unnest(g.members) as m where m = g.owner or m <> all(${names}))`
  const [row] = await sql<{ owner: string; members: string[]; unknown: string[] }[]>`
    with g as (select id, owner, members from im_embedded_groups where id = ${id} for update),
    changed as (update im_embedded_groups t set members = ${wanted} from g where t.id = g.id)
    select owner, members,
      ${
        kind === 'add'
          ? sql`array(select n from unnest(${names}::text[]) as n
              where not exists (select from im_embedded_accounts a where a.name = n))`
          : sql`array[]::text[]`
      } as unknown
    from g`
  return row
}

async function deleteEmbeddedGroup(sql: Db, id: string): Promise<boolean> {
  const deleted = await sql`delete from im_embedded_groups where id = ${id}`
  return deleted.count > 0
}

/**
 * Stores accounts and groups in Kith's own database. `announce` posts a message to the group's conversation.
 */
export function createEmbedded(
  sql: Sql,
  announce: (groupId: number, announcement: Announcement) => Promise<void> = async () => {},
): ImProvider {
  const missing = (id: string) => new ImError('not_found', `group ${id} does not exist`)
  const changeMembers = async (id: string, names: string[], kind: 'add' | 'remove'): Promise<Outcomes> => {
    const result = await updateEmbeddedMembers(sql, id, names, kind)
    if (!result) throw missing(id)
    const before = new Set(result.members)
    const unknown = new Set(result.unknown)
    return new Map(
      names.map((name): [string, Outcome] => {
        if (unknown.has(name)) return [name, new ImError('not_found', `account ${name} does not exist`)]
        if (kind === 'remove' && name === result.owner)
          return [name, new ImError('invalid', 'the owner cannot be removed')]
        return [name, before.has(name) === (kind === 'add') ? 'already' : 'done']
      }),
    )
  }
  return {
    name: 'embedded',
    capabilities: { announcements: true, usersAtOnce: 500, membersAtOnce: 2000, groupsAtOnce: 100 },
    async ensureUsers(accounts) {
      const made = new Set(await insertEmbeddedAccounts(sql, accounts))
      return new Map(accounts.map(({ name }) => [name, made.has(name) ? 'done' : 'already']))
    },
    async setPassword(name, password) {
      if (!(await updateEmbeddedPassword(sql, name, password)))
        throw new ImError('not_found', `account ${name} does not exist`)
    },
    async lock(name) {
      if (!(await lockEmbeddedAccount(sql, name)))
        throw new ImError('not_found', `account ${name} does not exist`)
    },
    async unlock(name, password) {
      if (!(await unlockEmbeddedAccount(sql, name, password)))
        throw new ImError('not_found', `account ${name} does not exist`)
    },
    async createGroup({ key, owner, settings }) {
      if (!(await insertEmbeddedGroup(sql, key, owner, settings)))
        throw new ImError('not_found', `account ${owner} does not exist`)
      return key
    },
    findGroup: async ({ key }) => ((await findEmbeddedGroups(sql, [key])).length > 0 ? key : undefined),
    async updateGroup(id, settings) {
      if (!(await updateEmbeddedGroup(sql, id, settings))) throw missing(id)
    },
    async transferOwner(id, owner) {
      const found = await findEmbeddedMembers(sql, id)
      if (!found) throw missing(id)
      if (!(await updateEmbeddedOwner(sql, id, owner)))
        throw new ImError('invalid', `${owner} is not in the group`)
    },
    addMembers: (id, names) => changeMembers(id, names, 'add'),
    removeMembers: (id, names) => changeMembers(id, names, 'remove'),
    async getGroups(ids) {
      const found = new Map((await findEmbeddedGroups(sql, ids)).map((group) => [group.id, group]))
      return new Map(ids.map((id) => [id, found.get(id) ?? null]))
    },
    async listMembers(id) {
      const found = await findEmbeddedMembers(sql, id)
      if (!found) throw missing(id)
      return found
    },
    deleteGroup: (id) => deleteEmbeddedGroup(sql, id),
    sendSystem: (id, announcement) => announce(Number(id), announcement),
    async health() {
      await sql`select 1`
    },
    settingsHeld: (settings) => settings,
  }
}
