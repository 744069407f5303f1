/** Faults of a provider, independent of its own error codes. */
export type ImFault = 'not_found' | 'conflict' | 'limited' | 'auth' | 'invalid' | 'unavailable'

/** A failure at a provider. After `unavailable` the outcome of the change is unknown. */
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

/** The outcome for one item of a batch call. */
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

/** A group as stored at the provider. */
export type ProviderGroup = { id: string; settings: GroupSettings }

/** All members of a group, including the owner. */
export type ProviderMembers = { owner: string | null; names: string[] }

/** A system message to a group. Clients drop duplicates by id. */
export type Announcement = { id: string; text: string; ext: Record<string, unknown> }

/** An instant-messaging service. Account names are user ids as text. Every change is idempotent. */
export type ImProvider = {
  name: string
  capabilities: {
    /** True when the provider delivers announcements. */
    announcements: boolean
    usersAtOnce: number
    membersAtOnce: number
    groupsAtOnce: number
  }
  /** `done`: created. `already`: existed, with an unknown password. */
  ensureUsers(accounts: { name: string; password: string }[]): Promise<Outcomes>
  /** Sets a password and closes the connections of an earlier one. */
  setPassword(name: string, password: string): Promise<void>
  /** Rejects sign-ins and closes open connections until `unlock` sets a password. */
  lock(name: string): Promise<void>
  unlock(name: string, password: string): Promise<void>
  /**
   * Creates the group of this key, or finds the one from an earlier call. A new group has the owner as only
   * member.
   */
  createGroup(group: { key: string; owner: string; settings: GroupSettings }): Promise<string>
  /** Finds the group that an earlier call created with this key. */
  findGroup(group: { key: string; owner: string }): Promise<string | undefined>
  updateGroup(id: string, settings: GroupSettings): Promise<void>
  /** Transfers the group to a member. The former owner stays a member. */
  transferOwner(id: string, owner: string): Promise<void>
  addMembers(id: string, names: string[]): Promise<Outcomes>
  removeMembers(id: string, names: string[]): Promise<Outcomes>
  /** Maps a missing group to null. */
  getGroups(ids: string[]): Promise<Map<string, ProviderGroup | null>>
  listMembers(id: string): Promise<ProviderMembers>
  /** Returns false when the group did not exist. */
  deleteGroup(id: string): Promise<boolean>
  sendSystem(groupId: string, announcement: Announcement): Promise<void>
  /** Throws unless the provider responds and accepts our credentials. */
  health(): Promise<void>
  /** The settings as the provider stores them, when it cannot store every text. */
  settingsHeld(settings: GroupSettings): GroupSettings
}

/** True when two groups have equal settings. */
export const sameSettings = (one: GroupSettings, other: GroupSettings) =>
  (Object.keys(one) as (keyof GroupSettings)[]).every((key) => one[key] === other[key])

/**
 * Returns the fault of one item. Rethrows outage, throttling and authentication failures, which affect the
 * whole call.
 */
export function itemFault(error: unknown): ImError {
  if (error instanceof ImError && !['unavailable', 'limited', 'auth'].includes(error.fault)) return error
  throw error
}
