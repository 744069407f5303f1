import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { createWorld, type Person } from '#test/world.ts'

const FILE = new URL('./contract/access-matrix.json', import.meta.url)
const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const
const isDeletion = (name: string) => name.startsWith('DELETE')

const world = await createWorld()
const { app, as, guest, sql } = world
const seed = await seedForAccess(world)

type Operation = { name: string; method: 'GET'; path: string }
const document = app.swagger() as unknown as {
  paths: Record<string, Record<string, { deprecated?: boolean }>>
}
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, verbs]) =>
  VERBS.filter((verb) => verbs[verb] && !verbs[verb].deprecated).map((verb) => ({
    name: `${verb.toUpperCase()} ${path.replace('/api/v2', '')}`,
    method: verb.toUpperCase() as 'GET',
    path,
  })),
)

async function ask(who: Person | null, { method, path }: Operation): Promise<number> {
  const url = seed.address(path)
  const body = method === 'GET' || method === ('DELETE' as string) ? undefined : {}
  // Issues a separate token, because sign-out and token refresh end the session of the token in use.
  const caller =
    who && /\/auth\/(logout|refresh)$/.test(path) && who !== seed.disabled
      ? { ...who, token: (await issueToken(sql, who.id)).access_token }
      : who
  const { status } = await (caller ? as(caller, method, url, body) : guest(method, url, body))
  return status
}

test('returns the statuses of the committed access matrix to every caller (conventions-10)', async () => {
  const found: Record<string, string> = {}
  const others = {
    guest: null,
    disabled: seed.disabled,
    blocked: seed.blocked,
    stranger: seed.stranger,
    clerk: seed.clerk,
  }
  for (const operation of operations) {
    const cells: string[] = []
    // Sends the stream request only as callers that are rejected, because an accepted stream never ends.
    const endless = operation.path.endsWith('/stream')
    for (const [role, who] of Object.entries(others))
      if (!endless || role === 'guest' || role === 'disabled')
        cells.push(`${role} ${await ask(who, operation)}`)
    found[operation.name] = cells.join(', ')
  }
  const byOwner = operations
    .filter(({ path }) => !path.includes('/admin') && !path.endsWith('/stream'))
    .sort((a, b) => Number(isDeletion(a.name)) - Number(isDeletion(b.name)) || b.path.length - a.path.length)
  for (const operation of byOwner) found[operation.name] += `, owner ${await ask(seed.owner, operation)}`

  assert.ok(operations.length > 400, `saw only ${operations.length}`)
  if (process.env.KITH_WRITE_MATRIX) writeFileSync(FILE, `${JSON.stringify(found, null, 1)}\n`)
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>
  const changed = Object.keys({ ...kept, ...found })
    .filter((name) => kept[name] !== found[name])
    .map((name) => `${name}: ${kept[name]} → ${found[name]}`)
  assert.deepEqual(changed, [], 'KITH_WRITE_MATRIX=1 npm test -- test/access-matrix.test.ts writes it anew')
})

test('lists only 401 and 403 for operations under /admin in the access matrix (administration-1)', () => {
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>
  const rows = Object.entries(kept).filter(([name]) => name.includes(' /admin'))
  assert.ok(rows.length > 100, `saw only ${rows.length}`)
  for (const [name, cells] of rows)
    assert.equal(cells, 'guest 401, disabled 401, blocked 403, stranger 403, clerk 403', name)
})
