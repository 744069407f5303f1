import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeNetwork } from '#platform/http/admission.ts'
import { refusalOf, settingsOn, signUpsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { guest, as, sql, person, outbox, work } = world
const { signUp } = signUpsOn(world)
const under = settingsOn(world)

const signInOn = async (device: string, login: string) => {
  const answer = await guest(
    'POST',
    '/auth/login',
    { login, password: 'correct horse' },
    { 'user-agent': device },
  )
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.access_token as string
}
const isGood = async (token: string) => (await guest('GET', `/user?token=${token}`)).status === 200
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const sessionsOf = async (token: string) => {
  const answer = await guest('GET', '/user/sessions', undefined, bearer(token))
  assert.equal(answer.status, 200)
  type Name = string | null
  return answer.body as ({ id: string; current: boolean } & Record<
    'device' | 'browser' | 'system' | 'place',
    Name
  >)[]
}

test('ends a single session or all other sessions of the viewer (rights-4)', async () => {
  const ann = await signUp()
  const phone = await signInOn('Phone é\u0007', ann.name)
  const desk = await signInOn(`Desk ${'x'.repeat(300)}`, ann.name)
  const seen = await sessionsOf(desk)
  assert.equal(seen.length, 3)
  assert.deepEqual([seen[0]?.device, seen[0]?.current], [`Desk ${'x'.repeat(195)}`, true])
  assert.ok(seen[1]?.device?.startsWith('Phone ') && /^[ -~]*$/.test(seen[1].device))
  assert.ok(seen.every(({ place }) => place === '127.0.0.0/24'))
  const end = (token: string, id: string) => guest('DELETE', `/user/sessions/${id}`, undefined, bearer(token))
  assert.equal((await end(desk, String(seen[1]?.id))).status, 204)
  assert.deepEqual([await isGood(phone), await isGood(desk), await isGood(ann.token)], [false, true, true])
  assert.deepEqual(refusalOf(await end(desk, String(seen[1]?.id))), [404, 'no_such_session'])
  const bob = await signUp()
  assert.equal((await end(bob.token, String(seen[0]?.id))).status, 404)
  assert.equal((await end(bob.token, 'nonsense')).status, 404)
  assert.equal((await guest('DELETE', '/user/sessions', undefined, bearer(desk))).status, 204)
  assert.deepEqual(
    [await isGood(desk), await isGood(ann.token), await isGood(bob.token)],
    [true, false, true],
  )
  assert.equal((await sessionsOf(desk)).length, 1)
})

test('names the browser and system of a session (rights-4)', async () => {
  const ann = await signUp()
  const token = await signInOn('Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36', ann.name)
  const [known] = await sessionsOf(token)
  assert.deepEqual([known?.browser, known?.system], ['Chrome', 'Windows'])
  const [unknown] = await sessionsOf(await signInOn('A telephone', ann.name))
  assert.deepEqual([unknown?.browser, unknown?.system], [null, null])
})

test('updates the device of a session when the client refreshes its token (rights-4)', async () => {
  const ann = await signUp()
  await sql`update token_families set used_at = now() - interval '1 hour' where user_id = ${ann.id}`
  const answer = await guest('POST', '/auth/refresh', { token: ann.token }, { 'user-agent': 'Moved' })
  const seen = await sessionsOf(answer.body.access_token)
  assert.deepEqual(
    seen.map(({ device, current }) => [device, current]),
    [['Moved', true]],
  )
  const [row] = await sql`select used_at > now() - interval '1 minute' as fresh from token_families
    where user_id = ${ann.id}`
  assert.equal(row?.fresh, true)
  await sql`update tokens set refresh_until = now() where user_id = ${ann.id}`
  assert.deepEqual(await sessionsOf(answer.body.access_token), [])
})

test('derives the network of a session from the client address (rights-4)', () => {
  for (const [address, network] of [
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['nonsense', ''],
  ] as const)
    assert.equal(placeNetwork(address), network)
})

test('alerts the account owner once about a sign-in from each new device (rights-5)', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  await signInOn('New phone', bob.name)
  const email = 'email' in ann ? String(ann.email) : ''
  const letters = () => outbox.filter(({ to, code }) => to === email && !code).map(({ text }) => text)
  const notices = async () =>
    (await as(ann, 'GET', '/user/notifications?type=system')).body.data.filter(
      ({ data }: { data: { state: string } }) => data.state === 'sign-in',
    ).length
  await work()
  assert.deepEqual([letters().length, await notices()], [0, 0])
  await signInOn('New phone', ann.name)
  await signInOn('New phone', ann.name)
  await work()
  assert.deepEqual([letters().length, await notices()], [1, 1])
  assert.match(letters()[0] ?? '', /新设备.*未知设备.*127\.0\.0\.0\/24.*unknown device/)
  assert.doesNotMatch(letters()[0] ?? '', /New phone/)
  await under({ 'account:sign-in-notices': false }, () => signInOn('Another phone', ann.name))
  await work()
  assert.equal(letters().length, 1)
})

test('sends no alert for the first sign-in after an upgrade from a version that stored no devices (rights-5)', async () => {
  const ann = await signUp()
  await sql`update token_families set user_agent = null, network = null where user_id = ${ann.id}`
  await signInOn('Whatever', ann.name)
  await work()
  assert.ok('email' in ann)
  assert.deepEqual(
    outbox.filter(({ to, code }) => to === ann.email && !code),
    [],
  )
  assert.equal((await as(ann, 'GET', '/user/notifications?type=system')).body.data.length, 0)
  const old = await person()
  assert.equal((await sessionsOf(old.token))[0]?.device, null)
})
