import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { escapeMarkup } from '#lib/markup/html.ts'
import {
  createHttpClient,
  forEach,
  type GroupSettings,
  ImError,
  type ImProvider,
  itemFault,
  type Outcomes,
  type Reply,
  sameSettings,
} from './provider.ts'

export type EjabberdOptions = {
  url: string
  host: string
  service: string
  user: string
  password: string
  timeoutMs: number
}

const CONNECTIONS = 8

const DESTROY_ATTEMPTS = 100
const DESTROY_PAUSE_MS = 20

/** Represents a group as a multi-user chat room with a member list. */
export function createEjabberd(options: EjabberdOptions): ImProvider {
  const { host, service } = options
  const http = createHttpClient({ base: options.url, timeoutMs: options.timeoutMs, atOnce: CONNECTIONS })
  const credentials = Buffer.from(`${options.user}@${host}:${options.password}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}` }

  const call = async (
    command: string,
    body: object,
    expected: (reply: Reply) => boolean = () => false,
  ): Promise<Reply> => {
    const reply = await http('POST', `/${command}`, { body, headers })
    if (reply.status === 200 || expected(reply)) return reply
    throw faultOf(command, reply)
  }
  const room = (id: string) => ({ name: id, service })
  const affiliate = async (id: string, name: string, affiliation: 'owner' | 'member' | 'none') =>
    void (await call('set_room_affiliation', { ...room(id), jid: `${name}@${host}`, affiliation }))
  const setOption = async (id: string, [option, value]: [string, string]) =>
    void (await call('change_room_option', { ...room(id), option, value }))

  const findSettings = async (id: string): Promise<GroupSettings | undefined> => {
    const { body } = await call('get_room_options', room(id))
    return settingsOf(body as Record<string, string>)
  }
  /**
   * `ending`: the process of a deleted room still runs. ejabberd lists the room, but requests to the room
   * fail.
   */
  const findStage = async (id: string): Promise<'there' | 'ending' | 'ended'> => {
    const isEnding = (reply: Reply) => reply.status === 500 && messageOf(reply) === 'internal_error'
    const reply = await call('get_room_options', room(id), isEnding)
    if (isEnding(reply)) return 'ending'
    return settingsOf(reply.body as Record<string, string>) ? 'there' : 'ended'
  }
  const listAffiliations = async (id: string) => {
    const { body } = await call('get_room_affiliations', room(id))
    return (body as { username: string; domain: string; affiliation: string }[])
      .filter(({ domain, affiliation }) => domain === host && AFFILIATED.has(affiliation))
      .map(({ username, affiliation }) => ({ name: username, owner: affiliation === 'owner' }))
  }
  /** ejabberd answers 0 for an existing account. */
  const hasAccount = async (name: string) => (await call('check_account', { user: name, host })).body === 0

  /** Closes connections explicitly, because ejabberd keeps connections of the former password open. */
  const setPassword = async (name: string, newpass: string) => {
    await call('change_password', { user: name, host, newpass })
    await call('kick_user', { user: name, host })
  }

  const changeMembers = async (id: string, names: string[], kind: 'add' | 'remove'): Promise<Outcomes> => {
    const affiliations = new Map((await listAffiliations(id)).map(({ name, owner }) => [name, owner]))
    const outcomes: Outcomes = new Map()
    await forEach(names, CONNECTIONS, async (name) => {
      if (affiliations.has(name) === (kind === 'add')) return void outcomes.set(name, 'already')
      if (kind === 'remove' && affiliations.get(name))
        return void outcomes.set(name, new ImError('invalid', 'the owner cannot be removed'))
      try {
        // ejabberd adds any name as a member, even a name without an account.
        if (kind === 'add' && !(await hasAccount(name)))
          throw new ImError('not_found', `account ${name} does not exist`)
        await affiliate(id, name, kind === 'add' ? 'member' : 'none')
        outcomes.set(name, 'done')
      } catch (error) {
        outcomes.set(name, itemFault(error))
      }
    })
    return outcomes
  }

  const provider: ImProvider = {
    name: 'ejabberd',
    capabilities: { announcements: true, usersAtOnce: 100, membersAtOnce: 500, groupsAtOnce: 100 },
    async ensureUsers(accounts) {
      const outcomes: Outcomes = new Map()
      await forEach(accounts, CONNECTIONS, async ({ name, password }) => {
        try {
          const { status } = await call(
            'register',
            { user: name, host, password },
            (reply) => reply.status === 409 && codeOf(reply) === 10_090,
          )
          outcomes.set(name, status === 200 ? 'done' : 'already')
        } catch (error) {
          outcomes.set(name, itemFault(error))
        }
      })
      return outcomes
    },
    setPassword,
    // Locks an account with a random password, because the format of bans differs between ejabberd versions.
    lock: (name) => setPassword(name, randomBytes(32).toString('base64url')),
    unlock: setPassword,
    async createGroup({ key, owner, settings }) {
      if (!(await hasAccount(owner))) throw new ImError('not_found', `account ${owner} does not exist`)
      const list = Object.entries(optionsOf(settings)).map(([name, value]) => ({ name, value }))
      const made = { ...room(key), host, options: [...list, { name: 'persistent', value: 'true' }] }
      // Adds the owner after the creation of the room, because `create_room_with_opts` rejects affiliations
      // with 400.
      const { status } = await call(
        'create_room_with_opts',
        made,
        (reply) => reply.status === 400 && /already exists/i.test(String(reply.body)),
      )
      const known = status === 200 ? [] : await listAffiliations(key)
      if (!known.some((member) => member.owner)) await affiliate(key, owner, 'owner')
      return key
    },
    findGroup: async ({ key }) => ((await findSettings(key)) ? key : undefined),
    async updateGroup(id, settings) {
      const before = await findSettings(id)
      if (!before) throw new ImError('not_found', `room ${id} does not exist`)
      const former = optionsOf(before)
      const changes = Object.entries(optionsOf(settings)).filter(([name, value]) => former[name] !== value)
      const made: [string, string][] = []
      try {
        for (const change of changes) {
          made.push(change)
          await setOption(id, change)
        }
      } catch (error) {
        // Restores the former options. ejabberd sets one option per request, so a failure leaves the room
        // half changed.
        for (const [name] of made.reverse()) await setOption(id, [name, former[name] ?? '']).catch(() => {})
        throw error
      }
      const after = await findSettings(id)
      if (!after || !sameSettings(after, settings))
        throw new ImError('invalid', `room ${id} did not accept its options: ${JSON.stringify(after)}`)
    },
    async transferOwner(id, owner) {
      const members = await listAffiliations(id)
      if (!members.some(({ name }) => name === owner))
        throw new ImError('invalid', `${owner} is not in room ${id}`)
      // Adds the new owner before removing the former one, so that the room always has an owner.
      await affiliate(id, owner, 'owner')
      for (const { name, owner: owns } of members)
        if (owns && name !== owner) await affiliate(id, name, 'member')
    },
    addMembers: (id, names) => changeMembers(id, names, 'add'),
    removeMembers: (id, names) => changeMembers(id, names, 'remove'),
    async getGroups(ids) {
      const found = new Map<string, { id: string; settings: GroupSettings } | null>()
      await forEach(ids, CONNECTIONS, async (id) => {
        const settings = await findSettings(id)
        found.set(id, settings ? { id, settings } : null)
      })
      return found
    },
    async listMembers(id) {
      const members = await listAffiliations(id)
      return {
        // Reports null unless the room has exactly one owner, so that the sync repeats the transfer of ownership.
        owner:
          members.filter(({ owner }) => owner).length === 1 ? members.find(({ owner }) => owner)!.name : null,
        names: members.map(({ name }) => name),
      }
    },
    async deleteGroup(id) {
      const found = await findStage(id)
      if (found === 'there') await call('destroy_room', room(id), isMissingRoom)
      // ejabberd responds before the room's process has ended, so the room can still be read for a moment.
      for (let attempt = 0; (await findStage(id)) !== 'ended'; attempt += 1) {
        if (attempt === DESTROY_ATTEMPTS) throw new ImError('unavailable', `room ${id} could not be deleted`)
        await sleep(DESTROY_PAUSE_MS)
      }
      return found === 'there'
    },
    async sendSystem(groupId, { id, text, ext }) {
      const stanza =
        `<message type='groupchat' id='${escapeMarkup(id)}'><body>${escapeMarkup(text)}</body>` +
        `<kith xmlns='urn:kith:im'>${escapeMarkup(JSON.stringify(ext))}</kith></message>`
      const to = `${groupId}@${service}`
      await call('send_stanza', { from: `${options.user}@${host}`, to, stanza })
    },
    async health() {
      await call('status', {})
    },
    settingsHeld: (settings) => settings,
  }
  return provider
}

const AFFILIATED = new Set(['owner', 'admin', 'member'])

const codeOf = ({ body }: Reply) => (body as { code?: number } | null)?.code

const isMissingRoom = ({ status, body }: Reply) =>
  (status === 400 || status === 404) &&
  /room (does ?n.t|does not|not) (exist|found)|not found/i.test(String(body))

const messageOf = ({ body }: Reply) =>
  typeof body === 'string' ? body : (body as { message?: string } | null)?.message

function faultOf(command: string, reply: Reply): ImError {
  const { status, body } = reply
  const message = `${command}: ${status} ${messageOf(reply) ?? ''}`.trim()
  if (isMissingRoom(reply) || body === 'unknown_user') return new ImError('not_found', message)
  if (status === 401 || status === 403) return new ImError('auth', message)
  if (status === 409) return new ImError('conflict', message)
  if (status === 429)
    return new ImError('limited', message, {
      retryAfterSeconds: Number(reply.headers.get('retry-after') ?? 1),
    })
  return new ImError(status >= 500 ? 'unavailable' : 'invalid', message)
}

const optionsOf = (settings: GroupSettings): Record<string, string> => ({
  title: settings.name,
  description: settings.description,
  public: String(settings.public),
  members_only: String(settings.membersOnly),
  allow_user_invites: String(settings.allowInvites),
  max_users: String(settings.maxUsers),
})

const settingsOf = (options: Record<string, string>): GroupSettings | undefined =>
  options.title === undefined
    ? undefined
    : {
        name: options.title,
        description: options.description ?? '',
        public: options.public === 'true',
        membersOnly: options.members_only === 'true',
        allowInvites: options.allow_user_invites === 'true',
        maxUsers: Number(options.max_users),
      }
