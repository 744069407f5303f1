import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { signUpsOn } from '#test/sign-up.ts'
import {
  browserTokens,
  createClient,
  type ErrorCodeOf,
  isKithError,
  KithError,
  memoryTokens,
} from '../../sdk/src/index.ts'
import { createRunningWorld } from './running.ts'

const world = await createRunningWorld()
const { sql, url } = world
const { signUp } = signUpsOn(world)

function browser() {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const key = `kith.${Math.random()}`
  const calls: string[] = []
  const counted: typeof fetch = (input, init) => {
    calls.push(new URL(input instanceof Request ? input.url : String(input)).pathname)
    return fetch(input, init)
  }
  return {
    tab: () => createClient({ url, tokens: browserTokens({ key, storage }), fetch: counted }),
    exchanges: () => calls.filter((path) => path.endsWith('/auth/refresh')).length,
    age: () => {
      const token = JSON.parse(kept.get(key) ?? '')
      kept.set(key, JSON.stringify({ ...token, expiresAt: Date.now() + 1_000 }))
    },
  }
}

test('reads private data only after sign-in', async () => {
  const ann = await signUp()
  const kith = createClient({ url })
  assert.equal(await kith.session.isSignedIn(), false)
  await assert.rejects(kith.get('/user'), (error) => isKithError(error, 'unauthenticated'))
  await kith.session.signIn({ login: ann.name, password: ann.password })
  assert.equal((await kith.get('/user')).name, ann.name)
  assert.equal(await kith.session.isSignedIn(), true)
  assert.equal(await kith.session.signOut(), true)
  assert.equal(await kith.session.isSignedIn(), false)
  await assert.rejects(kith.get('/user'), (error) => isKithError(error, 'unauthenticated'))
})

test('adopts a response only when it contains a token', async () => {
  const ann = await signUp()
  const kith = createClient({ url })
  const waiting = { message: 'Your account waits for approval.' }
  for (const none of [
    waiting,
    undefined,
    null,
    {},
    '',
    { token: '', ttl: 1, refresh_ttl: 1 },
    { token: 'x' },
  ]) {
    await assert.rejects(kith.session.adopt(none as never), /^TypeError: adopt\(\) got no token/)
    assert.equal(await kith.session.isSignedIn(), false)
  }
  const issued = await createClient({ url }).post('/auth/login', {
    body: { login: ann.name, password: ann.password },
  })
  await kith.session.adopt(issued)
  assert.equal((await kith.get('/user')).name, ann.name)
})

test("reports errors in the client's language", async () => {
  const kith = createClient({ url, language: 'zh' })
  const failed = await kith.session.signIn({ login: 'nobody', password: 'wrong' }).catch((error) => error)
  assert.ok(failed instanceof KithError)
  assert.deepEqual([failed.status, failed.code], [422, 'wrong_sign_in'])
  assert.ok(failed.requestId)
  assert.match(`${failed.message} ${Object.values(failed.fields).flat()}`, /[一-鿿]/)
  const away = createClient({ url: 'http://127.0.0.1:1', retry: { attempts: 2, baseMs: 1 } })
  await assert.rejects(away.get('/bootstrappers'), (error) => isKithError(error, 'network_error'))
})

test('returns undefined for operations without a response body', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  const kith = createClient({ url })
  await kith.session.signIn({ login: ann.name, password: ann.password })
  const params = { path: { target: bob.id } }
  assert.equal(await kith.put('/user/followings/{target}', { params }), undefined)
  const refused = await kith.put('/user/followings/{target}', { params }).catch((error) => error)
  assert.ok(isKithError(refused))
  assert.equal(refused.status, 422)
})

test('refreshes an expiring token once for concurrent requests in all tabs', async () => {
  const ann = await signUp()
  const { tab, exchanges, age } = browser()
  const [one, two] = [tab(), tab()]
  await one.session.signIn({ login: ann.name, password: ann.password })
  age()
  const names = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => (await (n % 2 ? one : two).get('/user')).name),
  )
  assert.deepEqual(new Set(names), new Set([ann.name]))
  assert.equal(exchanges(), 1)
})

test('repeats a request with a refreshed token when the server rejects the old token', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  const { tab, exchanges } = browser()
  const kith = tab()
  await kith.session.signIn({ login: ann.name, password: ann.password })
  await sql`update tokens set expires_at = now() - interval '1 second' where user_id = ${ann.id}`
  await kith.patch('/user', { body: { bio: 'Written after the exchange.' } })
  assert.equal(exchanges(), 1)
  assert.equal((await kith.get('/user')).bio, 'Written after the exchange.')
  assert.equal(
    (await kith.get('/users/{user}', { params: { path: { user: String(bob.id) } } })).name,
    bob.name,
  )
})

test('refreshes a rejected token although the running refresh of another request fails', async () => {
  const ann = await signUp()
  const store = memoryTokens()
  const [rejected, refreshing, joined] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  let reads = 0
  let failures = 3
  const kith = createClient({
    url,
    tokens: {
      ...store,
      get() {
        reads += 1
        // The fourth read belongs to the request that the server has rejected.
        if (reads === 4) setImmediate(joined!.resolve)
        return store.get()
      },
    },
    async fetch(input, init) {
      const path = new URL(input instanceof Request ? input.url : String(input)).pathname
      if (path.endsWith('/auth/refresh') && failures > 0) {
        failures -= 1
        refreshing!.resolve()
        await joined!.promise
        throw new TypeError('offline')
      }
      const response = await fetch(input, init)
      if (response.status === 401) {
        rejected!.resolve()
        await refreshing!.promise
      }
      return response
    },
  })
  await kith.session.signIn({ login: ann.name, password: ann.password })
  await sql`update tokens set expires_at = now() - interval '1 second' where user_id = ${ann.id}`
  const first = kith.get('/user')
  await rejected!.promise
  await store.set({ ...(await store.get())!, expiresAt: Date.now() + 50_000 })
  assert.deepEqual(
    (await Promise.all([first, kith.get('/user')])).map(({ name }) => name),
    [ann.name, ann.name],
  )
})

test('signs out every tab when the session was revoked', async () => {
  const ann = await signUp()
  const { tab } = browser()
  const [one, two] = [tab(), tab()]
  await one.session.signIn({ login: ann.name, password: ann.password })
  const ended = new Promise<void>((resolve) => {
    two.session.onChange((signedIn) => signedIn || resolve())
  })
  await sql`update token_families set revoked_at = now() where user_id = ${ann.id}`
  await sql`update tokens set expires_at = now() where user_id = ${ann.id}`
  await assert.rejects(one.get('/user'), (error) => isKithError(error, 'unauthenticated'))
  await ended
  assert.equal(await two.session.isSignedIn(), false)
  one.close()
  two.close()
})

test('keeps the session when the response to a refresh is lost', async () => {
  const ann = await signUp()
  const tokens = memoryTokens()
  let lost = 0
  let away = false
  const kith = createClient({
    url,
    tokens,
    retry: { attempts: 1 },
    fetch: async (input, init) => {
      if (away) throw new TypeError('away')
      const response = await fetch(input, init)
      if (!String(input).endsWith('/auth/refresh') || lost > 0) return response
      lost += 1
      throw new TypeError('lost')
    },
  })
  await kith.session.signIn({ login: ann.name, password: ann.password })
  const kept = await tokens.get()
  assert.ok(kept)
  await tokens.set({ ...kept, expiresAt: 0 })
  assert.equal((await kith.get('/user')).name, ann.name)
  assert.equal(lost, 1)
  const good = await tokens.get()
  assert.ok(good)
  await tokens.set({ ...good, expiresAt: 0 })
  away = true
  await assert.rejects(kith.get('/user'), (error) => isKithError(error, 'network_error'))
  away = false
  assert.equal((await kith.get('/user')).name, ann.name)
})

test('asks for the second factor again after a wrong code', async () => {
  const ann = await signUp()
  const kith = createClient({ url })
  await kith.session.signIn({ login: ann.name, password: ann.password })
  const { secret } = await kith.post('/user/second-factor', { body: { password: ann.password } })
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const { recovery_codes } = await kith.put('/user/second-factor', { body: { second_factor: code } })
  const asked: string[] = []
  await kith.session.signIn(
    { login: ann.name, password: ann.password },
    {
      secondFactor: (challenge) => {
        asked.push(challenge.code)
        return asked.length === 1 ? 'aaaa-aaaa-aaaa' : (recovery_codes[0] ?? null)
      },
    },
  )
  assert.deepEqual(asked, ['second_factor_required', 'wrong_second_factor'])
  assert.equal((await kith.get('/user')).name, ann.name)
  const given = kith.session.signIn({ login: ann.name, password: ann.password }, { secondFactor: () => null })
  await assert.rejects(given, (error) => isKithError(error, 'second_factor_required'))
})

/** Fails to compile if the operation declares other error codes. */
const EXPORT_ERRORS: Record<ErrorCodeOf<'getExport'>, string> = {
  bad_request: 'Kith could not read it.',
  no_such_export: 'There is none.',
  not_found: 'There is none.',
  unauthenticated: 'Sign in.',
  too_many_requests: 'Wait a moment.',
}

test('declares the error codes of an operation as a type', async () => {
  const ann = await signUp()
  const kith = createClient({ url })
  await kith.session.signIn({ login: ann.name, password: ann.password })
  const error = await kith
    .get('/user/exports/{export}', { params: { path: { export: 1 } } })
    .catch((thrown: unknown) => thrown)
  assert.ok(isKithError(error))
  assert.equal(EXPORT_ERRORS[error.code as ErrorCodeOf<'getExport'>], 'There is none.')
})
