import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { callsOf, type MobileCall, methodOf } from '#test/clients/mobile-calls.ts'
import { seedMobileLists } from '#test/clients/mobile-lists-seed.ts'
import { seedForMobile } from '#test/clients/mobile-seed.ts'
import { ANDROID } from '#test/clients/models/android.ts'
import { decode } from '#test/clients/models/decode.ts'
import { IOS } from '#test/clients/models/ios.ts'
import { type Parameter, sendAs } from '#test/clients/replay.ts'
import { seedForClients } from '#test/clients/seed.ts'
import { createWorld } from '#test/world.ts'

const CLIENTS = [
  { name: 'Android 2.2.0', rules: 'gson', models: ANDROID, writes: 'form' },
  { name: 'iOS 1.9.1', rules: 'objectmapper', models: IOS, writes: 'json' },
] as const

/** Each client has its own community, because most writes succeed only once. */
async function openCommunity(writes: 'form' | 'json') {
  const world = await createWorld()
  const seed = await seedForClients(world)
  const place = await seedForMobile(world, seed)
  const calls = callsOf(seed, { ...place, ...(await seedMobileLists(world, seed, place)) })
  const send = (call: MobileCall) => {
    const [path, , { as: who, body } = {}] = call
    const isNested = Object.values(body ?? {}).some((value) => typeof value === 'object')
    const parameters = body && Object.entries(body).map(([name, value]) => [name, 'text', value] as Parameter)
    return sendAs(world, who === 'guest' ? undefined : (who ?? seed.reader), {
      call: `${methodOf(call)} ${path}`,
      // Android sends objects in lists as JSON.
      ...(parameters && { [isNested ? 'json' : writes]: parameters }),
    })
  }
  return { calls, send }
}

const communities = [await openCommunity('form'), await openCommunity('json')] as const
const [{ calls: CALLS }] = communities

const UNSEEN: Record<string, string> = {
  'User.tags': 'A separate route returns the tags of a user.',
  'Charge.transaction_no': 'Only a recharge that a provider has confirmed contains the field.',
  'Comment.comment_mark': 'The server reads the mark and does not return it.',
  'Feed.deleted_at': 'The server returns 404 for a deleted feed.',
  'Feed.pinned': 'The server does not send the field. A separate list contains pinned feeds.',
  'Feed.pinned_amount': 'The server does not send the field.',
  'Feed.excellent_at': 'The server does not send the field.',
  'Group.join_at': 'Only the list of pending membership requests contains the field.',
  'NewsPin.expires_at':
    'Only an accepted pin has an expiry, and only an administrator accepts pins of articles.',
  'Post.pinned': 'The server does not send the field. A separate list contains pinned posts.',
  'PostImage.paid': 'Pictures of posts have no price.',
  'Song.deleted_at': 'The server returns 404 for a deleted song.',
}

const UNDECODED: Record<string, string[]> = {
  'Clients of ThinkSNS+ do not call these new operations of Kith.': [
    '/chats',
    '/chats/messages',
    '/chats/unread',
    '/chats/{chat}',
    '/chats/{chat}/messages',
    '/chats/{chat}/positions',
    '/digest/unsubscribe/{token}',
    '/pages',
    '/pages/{slug}',
    '/search',
    '/user/contact-rules',
    '/user/devices',
    '/user/digest',
    '/user/exports',
    '/user/exports/{export}',
    '/user/exports/{export}/archive',
    '/user/invitations',
    '/user/invitees',
    '/user/follow-requests',
    '/user/linked-accounts',
    '/user/muted-words',
    '/user/mutes',
    '/user/notifications/stream',
    '/user/privacy',
    '/user/push/key',
    '/user/push/preferences',
    '/user/relations/{user}',
    '/user/sanctions',
    '/user/second-factor',
    '/user/sessions',
    '/wallet/earlier-orders',
  ],
  'The specification declares the URL of an avatar as text, but Android reads an object.': [
    '/group-posts/{post}/likes',
    '/im/group',
  ],
  'Neither the specification nor the clients define the fields of the response.': [
    '/around-amap/geo',
    '/im/groups',
    '/user/socialite',
  ],
  'The response is a page or a redirect.': ['/aboutus', '/files/{file}', '/socialite/getAccess/{code}'],
}

const unaliased = (path: string) =>
  path
    .replace(/^\/plus-group(?=\/)/, '')
    .replace(/^\/group(?=\/(groups|simple-posts))/, '')
    .replace(/^\/easemob(?=\/)/, '/im')

test('calls every GET operation outside /admin except those in UNDECODED', async () => {
  const file = new URL('../../openapi.json', import.meta.url)
  const { paths } = JSON.parse(await readFile(file, 'utf8')) as { paths: Record<string, { get?: object }> }
  const operations = new Set(
    Object.keys(paths)
      .filter((path) => paths[path]?.get)
      .map((path) => unaliased(path.replace('/api/v2', '')))
      .filter((path) => !path.startsWith('/admin/')),
  )
  // Matches literal paths before parameters, as the router does.
  const byPrecedence = [...operations].sort((a, b) => a.split('{').length - b.split('{').length)
  const decoded = CALLS.filter((call) => methodOf(call) === 'GET').map(([path]) => {
    const asked = unaliased(path.replace(/\?.*/, ''))
    return byPrecedence.find((each) => new RegExp(`^${each.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(asked))
  })
  for (const operation of decoded) operations.delete(operation ?? '')
  assert.deepEqual(
    [...operations].sort(),
    Object.values(UNDECODED).flat().sort(),
    'add a call to mobile-calls.ts, or a reason to UNDECODED',
  )
})

for (const [index, { name, rules, models, writes }] of CLIENTS.entries()) {
  const { calls, send } = communities[index]!
  const seen = new Set<string>()
  let decoded = 0
  describe(`decodes responses with the models of ${name}, which sends writes as ${writes} (conventions-30, conventions-41)`, () => {
    for (const call of calls) {
      const [path, model] = call
      test(`decodes ${methodOf(call)} ${path}`, async () => {
        const { status, body } = await send(call)
        assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
        assert.deepEqual(decode(models, rules, `${model}!`, body, { seen }), [])
        assert.ok(!Array.isArray(body) || body.length > 0, 'the list is empty, so nothing was proven')
        decoded += 1
      })
    }
    test('decodes a value of every model field except those in UNSEEN', (t) => {
      t.diagnostic(`${name} and its fork: ${decoded} of ${calls.length} replies decode`)
      const declared = Object.entries(models).flatMap(([model, fields]) =>
        Object.keys(fields).map((field) => `${model}.${field}`),
      )
      assert.deepEqual(
        declared.filter((field) => !seen.has(field) && !UNSEEN[field]),
        [],
      )
      assert.deepEqual(
        Object.keys(UNSEEN).filter((field) => seen.has(field)),
        [],
      )
    })
  })
}

test('reports missing fields and fields of the wrong type', () => {
  const avatar = 'http://127.0.0.1/a.png'
  const group = { id: 1, name: 'A', avatar, users_count: 'many', allow_feed: true, joined: [] }
  const faults = decode(ANDROID, 'gson', 'Group', group)
  for (const fault of [
    'reply.avatar: string where Picture is read',
    'reply.users_count: string where int is read',
    'reply.allow_feed: boolean where int is read',
    'reply.joined: list where Membership is read',
    'reply.mode: undefined where text is read',
  ])
    assert.ok(faults.includes(fault), fault)
})
