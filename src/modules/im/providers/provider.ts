export type ImFault = 'not_found' | 'conflict' | 'limited' | 'auth' | 'invalid' | 'unavailable'

/** Error of a chat provider. With the fault `unavailable`, the provider may have executed the request. */
export class ImError extends Error {
  readonly fault: ImFault
  readonly retryAfterSeconds: number | undefined

  constructor(
    fault: ImFault,
    message: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ImError'
    this.fault = fault
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export type Outcome = 'done' | 'already' | ImError
export type Outcomes = Map<string, Outcome>

export type GroupSettings = {
  name: string
  description: string
  public: boolean
  membersOnly: boolean
  allowInvites: boolean
  maxUsers: number
}

export type ProviderGroup = { id: string; settings: GroupSettings }

type ProviderMembers = { owner: string | null; names: string[] }

/** System message to a group. Clients drop messages with an `id` that they already received. */
export type Announcement = { id: string; text: string; ext: Record<string, unknown> }

/** Adapter for a chat service. Account names are user ids as text, and every change is idempotent. */
export type ImProvider = {
  name: string
  capabilities: {
    announcements: boolean
    usersAtOnce: number
    membersAtOnce: number
    groupsAtOnce: number
  }
  /** `done`: the account was created. `already`: the account existed, with an unknown password. */
  ensureUsers(accounts: { name: string; password: string }[]): Promise<Outcomes>
  /** Also closes connections that were opened with the former password. */
  setPassword(name: string, password: string): Promise<void>
  /** Closes the account's connections and rejects sign-ins until `unlock` sets a password. */
  lock(name: string): Promise<void>
  unlock(name: string, password: string): Promise<void>
  /**
   * Creates a group whose only member is the owner. For a known `key`, returns the id of the existing group.
   */
  createGroup(group: { key: string; owner: string; settings: GroupSettings }): Promise<string>
  findGroup(group: { key: string; owner: string }): Promise<string | undefined>
  updateGroup(id: string, settings: GroupSettings): Promise<void>
  transferOwner(id: string, owner: string): Promise<void>
  addMembers(id: string, names: string[]): Promise<Outcomes>
  removeMembers(id: string, names: string[]): Promise<Outcomes>
  getGroups(ids: string[]): Promise<Map<string, ProviderGroup | null>>
  listMembers(id: string): Promise<ProviderMembers>
  deleteGroup(id: string): Promise<boolean>
  sendSystem(groupId: string, announcement: Announcement): Promise<void>
  health(): Promise<void>
  settingsHeld(settings: GroupSettings): GroupSettings
}

export const sameSettings = (one: GroupSettings, other: GroupSettings) =>
  (Object.keys(one) as (keyof GroupSettings)[]).every((key) => one[key] === other[key])

/** Returns the fault of one account or member. Rethrows faults of the whole request, such as an outage. */
export function itemFault(error: unknown): ImError {
  if (error instanceof ImError && !['unavailable', 'limited', 'auth'].includes(error.fault)) return error
  throw error
}

export type Reply = { status: number; body: unknown; headers: Headers }

type HttpClient = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Reply>

/** Limits concurrent requests to `atOnce`. Throws `unavailable` on connection errors and timeouts. */
export function createHttpClient(options: { base: string; timeoutMs: number; atOnce: number }): HttpClient {
  let open = 0
  const waiting: (() => void)[] = []
  const enter = async () => {
    if (open < options.atOnce) open += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else open -= 1
  }
  return async (method, path, { body, headers } = {}) => {
    await enter()
    try {
      const reply = await fetch(`${options.base}${path}`, {
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeoutMs),
      })
      const text = await reply.text()
      return { status: reply.status, body: parse(text), headers: reply.headers }
    } catch (error) {
      const cause = (error as Error).cause as { code?: string } | undefined
      const reason = cause?.code ?? (error as Error).name
      throw new ImError('unavailable', `${method} ${path.split('?')[0]}: ${reason}`, { cause: error })
    } finally {
      leave()
    }
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
