import { newKey } from '../../../sdk/src/key.ts'
import { keys, read, remove, write } from './storage.ts'

/**
 * A stored draft. `mark` identifies its publication: every attempt to send the draft carries the mark, so that a retry
 * after a lost reply does not publish twice.
 */
export type Stored<T> = {
  key: string
  at: number
  mark: string
  /** Digest of the saved text that the draft changes. */
  base: string
  value: T
}

const PREFIX = 'kith.draft/'
const DAYS = 30
const MOST = 50
/** Maximum size of all drafts, in characters. Browsers store about five million. */
const MOST_CHARACTERS = 1_000_000

/**
 * Key of a draft, from the account, the place such as `comment/feeds/5` and the tab. Tabs never share a draft or its
 * mark, because each of them would overwrite or publish the text of the other.
 */
export const draftKey = (account: number, place: string, tab: string): string =>
  `${PREFIX}${account}/${place}/${tab}`

export function readDraft<T>(key: string, now = Date.now()): Stored<T> | null {
  try {
    const draft = JSON.parse(read(key) ?? 'null') as Omit<Stored<T>, 'key'>
    if (typeof draft.mark === 'string' && draft.value && now - draft.at < DAYS * 86_400_000)
      return { ...draft, key }
  } catch {}
  return null
}

/** Returns false if the browser has no room for the draft. */
export function writeDraft<T>({ key, ...rest }: Stored<T>): boolean {
  const text = JSON.stringify(rest)
  if (write(key, text)) return true
  tidyDrafts()
  return write(key, text)
}

/** The stored fields that have the type of the empty draft. A browser may hold a draft of another version. */
export const fittingFields = <T extends object>(empty: T, value: T | undefined): T => ({
  ...empty,
  ...Object.fromEntries(
    Object.entries(value ?? {}).filter(([name, field]) => {
      const model = empty[name as keyof T]
      return (
        model === undefined ||
        (typeof field === typeof model && Array.isArray(field) === Array.isArray(model))
      )
    }),
  ),
})

export const removeDraft = remove

/** Short digest, so that a draft does not store the text that it changes a second time. */
export function digest(text: string): string {
  let hash = 0
  for (let n = 0; n < text.length; n += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) | 0
  return `${text.length}.${hash}`
}

/** Drafts of other tabs for the same place, the newest first. */
export function otherDrafts<T>(account: number, place: string, tab: string): Stored<T>[] {
  const start = draftKey(account, place, '')
  return keys(start)
    .filter((key) => !key.slice(start.length).includes('/') && key !== start + tab)
    .flatMap((key) => readDraft<T>(key) ?? [])
    .sort((a, b) => b.at - a.at)
}

export function forgetDrafts(account: number): void {
  for (const key of keys(`${PREFIX}${account}/`)) remove(key)
}

/** Removes drafts that are too old or too many, and those of earlier versions, which have no account. */
export function tidyDrafts(): void {
  for (const key of keys('kith.draft.')) remove(key)
  const all = keys(PREFIX)
    .map((key) => ({ key, size: read(key)?.length ?? 0, at: readDraft(key)?.at ?? 0 }))
    .sort((a, b) => b.at - a.at)
  let size = 0
  for (const [n, draft] of all.entries()) {
    size += draft.size
    if (draft.at === 0 || n >= MOST || size > MOST_CHARACTERS) remove(draft.key)
  }
}

const TAB = 'kith.tab'
const CHANNEL = 'kith.drafts'

type Notice = { claim: string; by: string } | { held: string; to: string } | { taken: string }

let tab = ''
let channel: BroadcastChannel | undefined
const watchers = new Set<(taken: string | null) => void>()

function noteTab(id: string): void {
  tab = id
  try {
    sessionStorage.setItem(TAB, id)
  } catch {}
}

/**
 * Id of this tab, which survives a reload. A duplicated tab starts with a copy of the id, and takes a new one as soon as
 * the first tab answers.
 */
export function thisTab(): string {
  if (tab) return tab
  let known: string | null = null
  try {
    known = sessionStorage.getItem(TAB)
  } catch {}
  noteTab(known ?? newKey())
  if (!('BroadcastChannel' in globalThis)) return tab
  const self = newKey()
  channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = (message: { data: unknown }) => {
    const data = message.data as Notice
    if ('claim' in data && data.claim === tab) channel?.postMessage({ held: tab, to: data.by })
    if ('held' in data && data.to === self) {
      noteTab(newKey())
      for (const watcher of watchers) watcher(null)
    }
    if ('taken' in data) for (const watcher of watchers) watcher(data.taken)
  }
  channel.postMessage({ claim: tab, by: self })
  return tab
}

/** Moves a draft of another tab out of the store, and empties the field of that tab. */
export function takeDraft(key: string): void {
  remove(key)
  channel?.postMessage({ taken: key })
}

/** Calls back with the key of a draft that another tab took, or with null when this tab has a new id. */
export function watchDrafts(watcher: (taken: string | null) => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
