import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { seedMobileLists } from '#test/clients/mobile-lists-seed.ts'
import { seedForMobile } from '#test/clients/mobile-seed.ts'
import { ANDROID } from '#test/clients/models/android.ts'
import { decode } from '#test/clients/models/decode.ts'
import { IOS } from '#test/clients/models/ios.ts'
import { type Call, type Client, checkError, checkMessage, checkRead, sendAs } from '#test/clients/replay.ts'
import { type Seed, seedForClients } from '#test/clients/seed.ts'
import { createTag, newsEditor } from '#test/fixtures/news.ts'
import { createWorld, type Person, type World } from '#test/world.ts'

const MODELS = { gson: ANDROID, objectmapper: IOS, javascript: {} }

type Values = Seed['values']

/** Values of the seeded community that the calls of the clients name. */
async function seedForCalls(world: World): Promise<Seed> {
  const seed = await seedForClients(world)
  const place = await seedForMobile(world, seed)
  const lists = await seedMobileLists(world, seed, place)
  const values: Values = {
    ...(Object.fromEntries(
      Object.entries({ ...place, ...lists }).filter(([, value]) => typeof value !== 'object'),
    ) as Values),
    ...seed.values,
    third: (await world.person()).id,
    story: await contribute(world, seed.reader, lists.newsCategory),
    otherTag: await createTag(world),
    pictured_feed: seed.values.picture_feed ?? 0,
    code: () => world.outbox.findLast(({ code }) => code !== undefined)?.code ?? '',
  }
  return { ...seed, values }
}

/** Publishes an article of a user, who may then ask for a pin. */
async function contribute(world: World, author: Person, category: number): Promise<number> {
  const editor = await newsEditor(world)
  const body = { title: 'A story', content: 'Once upon a time', tags: `${await createTag(world)}` }
  const { body: made } = await world.as(author, 'POST', `/news/categories/${category}/currency-news`, body)
  assert.equal((await world.as(editor, 'PATCH', `/admin/news/${made.id}`, { audit_status: 0 })).status, 204)
  return made.id
}

/** Fills in `{name}` anywhere in a call. A value that is only a name keeps its type. */
function fillerOf(values: Values) {
  const seeded = (name: string) => {
    const value = values[name]
    assert.notEqual(value, undefined, `the seed has no ${name}`)
    return typeof value === 'function' ? value() : value
  }
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'string') return value
    const alone = /^\{([\w.]+)\}$/.exec(value)?.[1]
    return alone === undefined
      ? value.replace(/\{([\w.]+)\}/g, (_, name: string) => String(seeded(name)))
      : seeded(alone)
  }
  return (call: Call): Call =>
    Object.fromEntries(
      Object.entries(call).map(([key, value]) => [key, key === 'reads' ? value : fill(value)]),
    ) as Call
}

const without = (call: Call, name: string): Call =>
  Object.fromEntries(
    Object.entries(call).map(([key, value]) => [
      key,
      ['query', 'form', 'json', 'multipart'].includes(key)
        ? (value as unknown[][]).filter(([given]) => given !== name)
        : value,
    ]),
  ) as Call

for (const file of globSync('test/clients/calls/*.json').sort()) {
  const { clients, decodes, calls } = JSON.parse(readFileSync(file, 'utf8')) as Client
  const world = await createWorld()
  const seed = await seedForCalls(world)
  const fill = fillerOf(seed.values)
  const failed: string[] = []
  let errors = 0

  describe(`answers every call as ${clients.join(' and the ')} sends and decodes it (conventions-6, conventions-17, conventions-30, conventions-41, feeds-39, music-14)`, () => {
    for (const call of calls)
      test(`${call.name} (${call.call})`, async () => {
        failed.push(call.name)
        const given = fill(call)
        const who = call.as === 'guest' ? undefined : seed[call.as]
        if (call.needs !== undefined) {
          const refused = await sendAs(world, who, without(given, call.needs))
          assert.equal(refused.status, 422, `without ${call.needs}: ${JSON.stringify(refused.body)}`)
          checkError(decodes, refused.body, call.needs)
          errors += 1
        }
        if (who && !call.call.startsWith('GET ')) {
          const refused = await sendAs(world, undefined, given)
          assert.equal(refused.status, 401, JSON.stringify(refused.body))
          checkError(decodes, refused.body)
          errors += 1
        }
        const answer = await sendAs(world, who, given)
        // Delivers the code that the next call sends.
        if (call.call.includes('/verifycodes')) await world.work()
        assert.equal(answer.status, call.status, JSON.stringify(answer.body))
        if (call.message) checkMessage(decodes, call.message, answer.body)
        if (call.model) assert.deepEqual(decode(MODELS[decodes], decodes, `${call.model}!`, answer.body), [])
        for (const read of call.reads ?? []) checkRead(decodes, answer.body, read)
        failed.splice(failed.indexOf(call.name), 1)
      })
    test('counts the calls', (t) => {
      for (const client of clients)
        t.diagnostic(
          `${client}: ${calls.length - failed.length} of ${calls.length} calls succeed, and ${errors} errors decode${failed.map((name) => `; fails: ${name}`).join('')}`,
        )
      assert.ok(calls.length >= 6)
      assert.deepEqual(failed, [])
    })
  })
}
