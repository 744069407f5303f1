import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import {
  draftKey,
  forgetDrafts,
  otherDrafts,
  readDraft,
  removeDraft,
  type Stored,
  takeDraft,
  thisTab,
  tidyDrafts,
  watchDrafts,
  writeDraft,
} from '../web/src/app/drafts.ts'

const DAY = 86_400_000
const ROOM = 5_000_000

/** Storage of a browser. Keys are its own properties, and it refuses values beyond `ROOM` characters. */
class FakeStorage {
  #size = () => Object.entries(this).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  getItem(key: string): string | null {
    return (this as unknown as Record<string, string>)[key] ?? null
  }
  setItem(key: string, value: string): void {
    const before = this.getItem(key)?.length ?? -key.length
    if (this.#size() - before + value.length > ROOM) throw new Error('QuotaExceededError')
    Object.assign(this, { [key]: value })
  }
  removeItem(key: string): void {
    delete (this as unknown as Record<string, string>)[key]
  }
}
const use = (storage: object | undefined) =>
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true, writable: true })
Object.defineProperty(globalThis, 'sessionStorage', { value: new FakeStorage(), configurable: true })
/** A channel that lets the process end. */
class Channel extends BroadcastChannel {
  constructor(name: string) {
    super(name)
    this.unref()
  }
}
Object.defineProperty(globalThis, 'BroadcastChannel', { value: Channel })
beforeEach(() => use(new FakeStorage()))

type Text = { text: string }
const draft = (key: string, text: string, more: Partial<Stored<Text>> = {}): Stored<Text> => ({
  key,
  at: Date.now(),
  mark: 'm',
  base: '',
  value: { text },
  ...more,
})
const textsOf = (drafts: Stored<Text>[]) => drafts.map(({ value }) => value.text)

test('separates drafts by account, place and tab', () => {
  const key = draftKey(1, 'chat/5', 'a')
  writeDraft(draft(key, 'mine'))
  writeDraft(draft(draftKey(1, 'chat/5', 'b'), 'older', { at: Date.now() - 10 }))
  writeDraft(draft(draftKey(1, 'chat/5', 'c'), 'newer'))
  writeDraft(draft(draftKey(1, 'chat/5/unsent', 'b'), 'another place'))
  writeDraft(draft(draftKey(1, 'chat/55', 'b'), 'another chat'))
  writeDraft(draft(draftKey(12, 'chat/5', 'b'), 'another account'))
  assert.equal(readDraft<Text>(key)?.value.text, 'mine')
  assert.deepEqual(textsOf(otherDrafts<Text>(1, 'chat/5', 'a')), ['newer', 'older'])
  removeDraft(key)
  assert.equal(readDraft(key), null)
})

test('forgets the drafts of one account only', () => {
  const [ann, bob] = [draftKey(1, 'post', 'a'), draftKey(12, 'post', 'a')]
  writeDraft(draft(ann, 'of Ann'))
  writeDraft(draft(bob, 'of Bob'))
  forgetDrafts(1)
  assert.equal(readDraft(ann), null)
  assert.equal(readDraft<Text>(bob)?.value.text, 'of Bob')
})

test('ignores drafts that are older than 30 days or damaged', () => {
  const key = draftKey(1, 'post', 'a')
  writeDraft(draft(key, 'old', { at: Date.now() - 30 * DAY }))
  assert.equal(readDraft(key), null)
  for (const damaged of ['{', 'null', '5', '{}', '{"mark":"m"}']) {
    localStorage.setItem(key, damaged)
    assert.equal(readDraft(key), null, damaged)
  }
})

test('keeps the newest 50 drafts, and removes old drafts and those without an account', () => {
  for (let n = 0; n < 60; n += 1)
    writeDraft(draft(draftKey(1, `chat/${n}`, 'a'), `${n}`, { at: Date.now() - n * 1000 }))
  const old = draftKey(1, 'post', 'a')
  writeDraft(draft(old, 'old', { at: Date.now() - 31 * DAY }))
  localStorage.setItem('kith.draft.feed', '{"text":"of an earlier version"}')
  localStorage.setItem('other', 'of another program')
  tidyDrafts()
  assert.equal(Object.keys(localStorage).length, 51)
  assert.equal(localStorage.getItem('other'), 'of another program')
  assert.equal(readDraft<Text>(draftKey(1, 'chat/49', 'a'))?.value.text, '49')
  assert.equal(readDraft(draftKey(1, 'chat/50', 'a')), null)
  assert.equal(localStorage.getItem(old), null)
})

test('limits drafts to a million characters', () => {
  for (let n = 0; n < 15; n += 1)
    writeDraft(draft(draftKey(1, `article/${n}`, 'a'), 'x'.repeat(100_000), { at: Date.now() - n * 1000 }))
  tidyDrafts()
  assert.equal(Object.keys(localStorage).length, 9)
  assert.ok(readDraft(draftKey(1, 'article/0', 'a')))
})

test('reports a draft for which a full or forbidden storage has no room', () => {
  const key = draftKey(1, 'post', 'a')
  localStorage.setItem('other', 'x'.repeat(ROOM - 100))
  assert.equal(writeDraft(draft(key, 'y'.repeat(200))), false)
  assert.equal(readDraft(key), null)
  const forbid = () => {
    throw new Error('SecurityError')
  }
  use(new Proxy({}, { get: forbid, ownKeys: forbid }))
  assert.equal(writeDraft(draft(key, 'text')), false)
  assert.equal(readDraft(key), null)
  assert.deepEqual(otherDrafts(1, 'post', 'a'), [])
  removeDraft(key)
  forgetDrafts(1)
  tidyDrafts()
})

test('gives a duplicated tab another id, and tells the tab whose draft was taken', async () => {
  const other = new Channel('kith.drafts')
  // Keeps the process alive while the test waits for a message.
  other.ref()
  after(() => other.close())
  const heard = new Promise<{ claim: string; by: string }>((resolve) => {
    other.onmessage = ({ data }) => 'claim' in (data as object) && resolve(data as never)
  })
  const first = thisTab()
  assert.equal(thisTab(), first)
  const { claim, by } = await heard
  assert.equal(claim, first)
  const told: (string | null)[] = []
  let note = () => {}
  const unwatch = watchDrafts((taken) => {
    told.push(taken)
    note()
  })
  const next = () => new Promise<void>((resolve) => (note = resolve))
  const renamed = next()
  other.postMessage({ held: first, to: 'another page' })
  other.postMessage({ held: first, to: by })
  await renamed
  assert.deepEqual(told, [null])
  assert.notEqual(thisTab(), first)
  assert.equal(sessionStorage.getItem('kith.tab'), thisTab())
  const answered = new Promise<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data)
  })
  other.postMessage({ claim: thisTab(), by: 'copy' })
  assert.deepEqual(await answered, { held: thisTab(), to: 'copy' })
  const taken = next()
  other.postMessage({ taken: 'some key' })
  await taken
  assert.deepEqual(told, [null, 'some key'])
  const announced = new Promise<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data)
  })
  const key = draftKey(1, 'post', 'b')
  writeDraft(draft(key, 'text'))
  takeDraft(key)
  assert.deepEqual(await announced, { taken: key })
  assert.equal(readDraft(key), null)
  unwatch()
})
