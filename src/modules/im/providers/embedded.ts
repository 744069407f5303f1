import type { Sql } from '#platform/database'
import {
  deleteEmbeddedGroup,
  findEmbeddedGroups,
  findEmbeddedMembers,
  insertEmbeddedAccounts,
  insertEmbeddedGroup,
  lockEmbeddedAccount,
  unlockEmbeddedAccount,
  updateEmbeddedGroup,
  updateEmbeddedMembers,
  updateEmbeddedOwner,
  updateEmbeddedPassword,
} from './embedded/queries.ts'
import { type Announcement, ImError, type ImProvider, type Outcome, type Outcomes } from './provider.ts'

/**
 * Accounts and groups in our own database, and the chat of Kith, which `announce` writes to.
 */
export function createEmbedded(
  sql: Sql,
  announce: (groupId: number, announcement: Announcement) => Promise<void> = async () => {},
): ImProvider {
  const missing = (id: string) => new ImError('not_found', `there is no group ${id}`)
  const changeMembers = async (id: string, names: string[], kind: 'add' | 'remove'): Promise<Outcomes> => {
    const result = await updateEmbeddedMembers(sql, id, names, kind)
    if (!result) throw missing(id)
    const before = new Set(result.members)
    const unknown = new Set(result.unknown)
    return new Map(
      names.map((name): [string, Outcome] => {
        if (unknown.has(name)) return [name, new ImError('not_found', `there is no account ${name}`)]
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
        throw new ImError('not_found', `there is no account ${name}`)
    },
    async lock(name) {
      if (!(await lockEmbeddedAccount(sql, name)))
        throw new ImError('not_found', `there is no account ${name}`)
    },
    async unlock(name, password) {
      if (!(await unlockEmbeddedAccount(sql, name, password)))
        throw new ImError('not_found', `there is no account ${name}`)
    },
    async createGroup({ key, owner, settings }) {
      if (!(await insertEmbeddedGroup(sql, key, owner, settings)))
        throw new ImError('not_found', `there is no account ${owner}`)
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
