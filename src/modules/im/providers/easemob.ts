import {
  CONNECTIONS,
  createEasemobClient,
  dataOf,
  type EasemobOptions,
  faultOf,
  isDuplicate,
} from './easemob-client.ts'
import {
  forEach,
  type GroupSettings,
  ImError,
  type ImProvider,
  itemFault,
  type Outcomes,
  type ProviderGroup,
} from './provider.ts'

const USERS_AT_ONCE = 60
const MEMBERS_AT_ONCE = 60
const GROUPS_AT_ONCE = 100
const MEMBERS_A_PAGE = 100

/** Stores Kith's group key in the `custom` field, because Easemob assigns the group ids itself. */
export function createEasemob(options: EasemobOptions): ImProvider {
  const call = createEasemobClient(options)
  const group = (id: string) => `/chatgroups/${encodeURIComponent(id)}`

  const user = (name: string) => `/users/${encodeURIComponent(name)}`
  const setPassword = async (name: string, newpassword: string) =>
    void (await call('PUT', `${user(name)}/password`, { newpassword }))

  const registerOne = async (account: { name: string; password: string }) => {
    const body = [{ username: account.name, password: account.password }]
    const reply = await call('POST', '/users', body, [400])
    if (reply.status === 200) return 'done'
    if (isDuplicate(reply)) return 'already'
    throw faultOf('POST /users', reply)
  }

  const listMembers = async (id: string) => {
    const names: string[] = []
    let owner: string | null = null
    for (let page = 1; ; page += 1) {
      const reply = await call('GET', `${group(id)}/users?pagenum=${page}&pagesize=${MEMBERS_A_PAGE}`)
      const items = (dataOf(reply) ?? []) as { owner?: string; member?: string }[]
      for (const item of items) {
        if (item.owner !== undefined) owner = item.owner
        const name = item.owner ?? item.member
        if (name !== undefined) names.push(name)
      }
      if (items.length < MEMBERS_A_PAGE) return { owner, names }
    }
  }

  const readGroups = async (ids: string[]) => {
    const found = new Map<string, (ProviderGroup & { custom: string }) | null>()
    for (let from = 0; from < ids.length; from += GROUPS_AT_ONCE) {
      const some = ids.slice(from, from + GROUPS_AT_ONCE)
      const reply = await call(
        'GET',
        `/chatgroups/${some.map(encodeURIComponent).join(',')}`,
        undefined,
        [404],
      )
      const rows = reply.status === 404 ? [] : ((dataOf(reply) ?? []) as RawGroup[])
      for (const id of some) found.set(id, null)
      // For an unknown id, Easemob returns an error object, which has no name.
      for (const row of rows) if (row.name !== undefined) found.set(String(row.id), groupOf(row))
    }
    return found
  }

  const findGroup = async ({ key, owner }: { key: string; owner: string }) => {
    const path = `${user(owner)}/joined_chatgroups`
    const reply = await call('GET', `${path}?pagenum=1&pagesize=1000`, undefined, [404])
    if (reply.status === 404) return undefined
    const ids = ((dataOf(reply) ?? []) as { groupid: string }[]).map(({ groupid }) => String(groupid))
    for (const [id, found] of await readGroups(ids)) if (found?.custom === customOf(key)) return id
    return undefined
  }

  const changeMembers = async (id: string, names: string[], kind: 'add' | 'remove'): Promise<Outcomes> => {
    const present = await listMembers(id)
    const outcomes: Outcomes = new Map()
    const wanted = names.filter((name) => {
      if (present.names.includes(name) === (kind === 'add')) outcomes.set(name, 'already')
      else if (kind === 'remove' && name === present.owner)
        outcomes.set(name, new ImError('invalid', 'the owner cannot be removed'))
      return !outcomes.has(name)
    })
    for (let from = 0; from < wanted.length; from += MEMBERS_AT_ONCE) {
      const some = wanted.slice(from, from + MEMBERS_AT_ONCE)
      try {
        if (kind === 'add') await call('POST', `${group(id)}/users`, { usernames: some })
        else await call('DELETE', `${group(id)}/users/${some.map(encodeURIComponent).join(',')}`)
        for (const name of some) outcomes.set(name, 'done')
      } catch (error) {
        if (!(error instanceof ImError) || error.fault === 'unavailable') throw error
        // One invalid name fails the request for all names. Retries each name in its own request.
        await forEach(some, CONNECTIONS, async (name) => {
          try {
            const path = `${group(id)}/users/${encodeURIComponent(name)}`
            await call(kind === 'add' ? 'POST' : 'DELETE', path)
            outcomes.set(name, 'done')
          } catch (fault) {
            outcomes.set(name, itemFault(fault))
          }
        })
      }
    }
    return outcomes
  }

  return {
    name: 'easemob',
    capabilities: {
      announcements: true,
      usersAtOnce: USERS_AT_ONCE,
      membersAtOnce: MEMBERS_AT_ONCE,
      groupsAtOnce: GROUPS_AT_ONCE,
    },
    async ensureUsers(accounts) {
      const outcomes: Outcomes = new Map()
      for (let from = 0; from < accounts.length; from += USERS_AT_ONCE) {
        const some = accounts.slice(from, from + USERS_AT_ONCE)
        const body = some.map(({ name, password }) => ({ username: name, password }))
        const reply = await call('POST', '/users', body, [400])
        if (reply.status === 200) {
          for (const { name } of some) outcomes.set(name, 'done')
          continue
        }
        // One existing account fails the request for all accounts. Retries each account in its own request.
        await forEach(some, CONNECTIONS, async (account) => {
          try {
            outcomes.set(account.name, await registerOne(account))
          } catch (error) {
            outcomes.set(account.name, itemFault(error))
          }
        })
      }
      return outcomes
    },
    async setPassword(name, password) {
      await setPassword(name, password)
      // Deactivation closes connections that were opened with the former password.
      await call('POST', `${user(name)}/deactivate`)
      await call('POST', `${user(name)}/activate`)
    },
    async lock(name) {
      await call('POST', `${user(name)}/deactivate`)
    },
    async unlock(name, password) {
      // Sets the password before the activation, so that clients with the former password cannot reconnect.
      await setPassword(name, password)
      await call('POST', `${user(name)}/activate`)
    },
    async createGroup({ key, owner, settings }) {
      const known = await findGroup({ key, owner })
      if (known !== undefined) return known
      const reply = await call('POST', '/chatgroups', {
        ...fieldsOf(settings),
        groupname: withoutSlashes(settings.name),
        desc: withoutSlashes(settings.description),
        members_only: settings.membersOnly,
        owner,
        custom: customOf(key),
      })
      return String((dataOf(reply) as { groupid: string | number }).groupid)
    },
    findGroup,
    async updateGroup(id, settings) {
      await call('PUT', group(id), {
        ...fieldsOf(settings),
        groupname: withoutSlashes(settings.name),
        description: withoutSlashes(settings.description),
        membersonly: settings.membersOnly,
      })
    },
    async transferOwner(id, owner) {
      const { owner: former } = await listMembers(id)
      if (former !== owner) await call('PUT', group(id), { newowner: owner })
    },
    addMembers: (id, names) => changeMembers(id, names, 'add'),
    removeMembers: (id, names) => changeMembers(id, names, 'remove'),
    async getGroups(ids) {
      const found = await readGroups(ids)
      return new Map([...found].map(([id, each]) => [id, each && { id, settings: each.settings }] as const))
    },
    listMembers,
    async deleteGroup(id) {
      const { status } = await call('DELETE', group(id), undefined, [404])
      return status === 200
    },
    async sendSystem(groupId, { id, text, ext }) {
      await call('POST', '/messages/chatgroups', {
        from: options.sender,
        to: [groupId],
        type: 'txt',
        body: { msg: text },
        ext: { ...ext, message_id: id },
      })
    },
    async health() {
      await call('GET', '/users?limit=1')
    },
    settingsHeld: (settings) => ({
      ...settings,
      name: withoutSlashes(settings.name),
      description: withoutSlashes(settings.description),
    }),
  }
}

type RawGroup = {
  id: string | number
  name?: string
  description?: string
  public?: boolean
  membersonly?: boolean
  allowinvites?: boolean
  maxusers?: number
  custom?: string
}

const customOf = (key: string) => `kith:${key}`

/** Easemob reserves slashes, so names and descriptions contain a full-width slash instead. */
const withoutSlashes = (text: string) => text.replaceAll('/', '／')

const fieldsOf = (settings: GroupSettings) => ({
  public: settings.public,
  maxusers: settings.maxUsers,
  allowinvites: settings.allowInvites,
})

const groupOf = (raw: RawGroup): ProviderGroup & { custom: string } => ({
  id: String(raw.id),
  custom: raw.custom ?? '',
  settings: {
    name: raw.name ?? '',
    description: raw.description ?? '',
    public: raw.public ?? false,
    membersOnly: raw.membersonly ?? false,
    allowInvites: raw.allowinvites ?? false,
    maxUsers: Number(raw.maxusers ?? 0),
  },
})
