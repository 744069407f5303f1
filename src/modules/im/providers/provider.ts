/** What can go wrong at a provider, whatever its own words for it. */
export type ImFault = 'not_found' | 'conflict' | 'limited' | 'auth' | 'invalid' | 'unavailable'

/** A failure at a provider. After `unavailable` it is unknown whether the change was made. */
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

/** What became of one item of a call with several. */
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

/** A group as the provider holds it. */
export type ProviderGroup = { id: string; settings: GroupSettings }

/** Everybody in a group, the owner included. */
export type ProviderMembers = { owner: string | null; names: string[] }

/** A message into a group that the system sends; a client drops a second one with the same id. */
export type Announcement = { id: string; text: string; ext: Record<string, unknown> }

/**
 * An instant-messaging service. People are known there by their id as text. Every change may be repeated: what is done
 * already stays as it is.
 */
export type ImProvider = {
  name: string
  capabilities: {
    /** Whether there is anything that delivers announcements. */
    announcements: boolean
    usersAtOnce: number
    membersAtOnce: number
    groupsAtOnce: number
  }
  /** `done`: created; `already`: existed, with whatever password. */
  ensureUsers(accounts: { name: string; password: string }[]): Promise<Outcomes>
  setPassword(name: string, password: string): Promise<void>
  /** Lets nobody in and ends the connections there are, until `unlock` sets a password. */
  lock(name: string): Promise<void>
  unlock(name: string, password: string): Promise<void>
  /** Makes the group of this key, or finds the one that an earlier call made; the owner is its only member then. */
  createGroup(group: { key: string; owner: string; settings: GroupSettings }): Promise<string>
  /** The group that a call with this key made, if any. */
  findGroup(group: { key: string; owner: string }): Promise<string | undefined>
  updateGroup(id: string, settings: GroupSettings): Promise<void>
  /** Hands the group to a member; the former owner stays as a member. */
  transferOwner(id: string, owner: string): Promise<void>
  addMembers(id: string, names: string[]): Promise<Outcomes>
  removeMembers(id: string, names: string[]): Promise<Outcomes>
  /** Null for a group that is not there. */
  getGroups(ids: string[]): Promise<Map<string, ProviderGroup | null>>
  listMembers(id: string): Promise<ProviderMembers>
  /** False when there was none. */
  deleteGroup(id: string): Promise<boolean>
  sendSystem(groupId: string, announcement: Announcement): Promise<void>
  /** Throws unless the provider answers and lets us in. */
  health(): Promise<void>
  /** The form in which the provider holds these settings, where it cannot hold every text. */
  settingsHeld(settings: GroupSettings): GroupSettings
}

/** Whether two groups are set alike. */
export const sameSettings = (one: GroupSettings, other: GroupSettings) =>
  (Object.keys(one) as (keyof GroupSettings)[]).every((key) => one[key] === other[key])

/** The failure of one item; a service that is down, asks for patience or does not know us fails the whole call. */
export function itemFault(error: unknown): ImError {
  if (error instanceof ImError && !['unavailable', 'limited', 'auth'].includes(error.fault)) return error
  throw error
}
