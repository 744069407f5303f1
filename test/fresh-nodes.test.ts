import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { buildApp } from '#app'
import { issueToken } from '#modules/tokens/index.ts'
import { openDatabase, type Signals } from '#platform/database'
import { createMetrics } from '#platform/observability'
import { seedForAccess } from '#test/fixtures/access.ts'
import { createDice } from '#test/fixtures/dice.ts'
import { createInputs } from '#test/fuzz/inputs.ts'
import { type Operation, readOperations } from '#test/fuzz/operations.ts'
import { createWorld, type Person } from '#test/world.ts'

/** Values with a delayed count, a random choice or the current time. */
const OF_THE_MOMENT =
  /"(\w*views?_count|feed_view_count|hot|hits|taste_count|expires_\w+|url|file|\w*password|last_\w+|seconds|uptime\w*)":("[^"]*"|[\d.]+|null)/g
const SKIPPED =
  /\/(stream|bootstrappers|files|statistics|health|im|easemob|openapi\.json)|ranks|news\/cates$|news\/\{news\}\/correlations$|\/auth\//
/** Reads after each change: lists and things with users, comments and counts. */
const SHOWING =
  /\/(feeds|feeds\/\{feed\}|feeds\/\{feed\}\/(comments|likes)|users|users\/\{user\}|user|user\/followings|news\/\{news\}\/comments|questions\/\{question\}\/answers|user\/notifications)$/
/** Further reads to compare after a change. */
const MORE_READS = 4

const world = await createWorld()
const { app: warm, as, ctx, person, connection } = world

/** A node on the same database without caches: they are cleared before each read. */
async function openCold() {
  const forget: (() => void)[] = []
  const signals: Signals = {
    on() {},
    onReconnect: (handler) => void forget.push(handler),
    listen: async () => {},
    state: () => ({ isLost: false, losses: 0 }),
    close: async () => {},
  }
  const sql = openDatabase({ connection, poolSize: 4, statementTimeoutMs: 30_000 })
  const config = { ...ctx.config, fragmentBytes: 0, guestCacheMs: 0 }
  const app = await buildApp({
    ...ctx,
    sql,
    config,
    signals,
    metrics: createMetrics(),
    onClose: [],
    state: new Map(),
  })
  after(async () => {
    await app.close()
    await sql.end()
  })
  return {
    app,
    forgetAll() {
      for (const handler of forget) handler()
    },
  }
}

test('shows the same as a node without caches after every writing operation', async (t) => {
  const cold = await openCold()
  const seed = await seedForAccess(world)
  const administrator = await person({ roles: ['founder', 'owner'] })
  const { operations, named } = readOperations(warm)
  const dice = createDice(7)
  const inputs = createInputs(dice, named)
  const reads = operations.filter(({ method, path }) => method === 'GET' && !SKIPPED.test(path))
  const showing = reads.filter(({ path }) => SHOWING.test(path))
  assert.ok(reads.length > 120 && showing.length > 8, `${reads.length} reads, ${showing.length} show most`)

  const addressOf = ({ path, query }: Operation) => {
    const needed = query.filter(({ required }) => required)
    const asked = needed.map(({ name, schema }) => [name, String(inputs.valid(schema, name))])
    return `${seed.address(path)}?${new URLSearchParams(asked)}`
  }
  let compared = 0
  const differences: string[] = []
  const compare = async (read: Operation, viewer: Person | undefined, because: string) => {
    const url = addressOf(read)
    const headers = viewer ? { authorization: `Bearer ${viewer.token}` } : {}
    const one = await warm.inject({ url, headers })
    cold.forgetAll()
    const other = await cold.app.inject({ url, headers })
    const shown = [one, other].map(
      ({ statusCode, body }) => `${statusCode} ${body.replace(OF_THE_MOMENT, '"$1":0')}`,
    )
    compared += 1
    if (shown[0] === shown[1]) return
    const at = [...(shown[0] ?? '')].findIndex((letter, place) => letter !== shown[1]?.[place])
    const around = shown.map((text) => text.slice(Math.max(0, at - 60), at + 60))
    differences.push(`after ${because}: ${url}\n  ${around.join('\n  ')}`)
  }

  for (const viewer of [undefined, seed.owner, seed.stranger])
    for (const read of reads) await compare(read, viewer, 'nothing')
  assert.deepEqual(differences, [])

  let turn = 0
  let changed = 0
  const changes = operations.filter(
    ({ method, isForm, path }) => method !== 'GET' && !isForm && !/\/(im|easemob)/.test(path),
  )
  const inOrder = changes.toSorted((a, b) => Number(a.isDestructive) - Number(b.isDestructive))
  for (const { method, path, body } of inOrder)
    for (const who of [path.includes('/admin') ? administrator : seed.owner]) {
      const caller = { ...who, token: (await issueToken(ctx.sql, who.id)).access_token }
      const given = body ? inputs.body(body, false) : undefined
      const { status } = await as(caller, method, seed.address(path), given)
      if (status >= 300) continue
      changed += 1
      const more = Array.from({ length: MORE_READS }, () => reads[turn++ % reads.length] as Operation)
      const half = showing.filter((_, n) => n % 2 === changed % 2)
      for (const read of [...half, ...more])
        await compare(
          read,
          turn % 3 === 0 ? undefined : turn % 3 === 1 ? seed.stranger : seed.owner,
          `${method} ${path}`,
        )
      if (differences.length > 5) break
    }
  t.diagnostic(`${compared} comparisons, ${changed} of ${inOrder.length} operations changed something`)
  assert.deepEqual(differences, [], differences.join('\n'))
  assert.ok(changed > 60, `only ${changed} operations changed something`)
})

test('shows a changed user at once although their text is cached', async () => {
  const [ann, bob] = [await person(), await person()]
  const read = async () => (await as(bob, 'GET', `/users/${ann.id}`)).body
  await read()
  for (const change of [{ bio: 'first' }, { bio: 'second' }, { sex: 1 }, { location: 'here' }]) {
    assert.ok((await as(ann, 'PATCH', '/user', change)).status < 300)
    const [[name, value]] = Object.entries(change) as [[string, unknown]]
    assert.equal((await read())[name], value)
  }
  // Also for rows that no route writes.
  await ctx.sql`update users set bio = 'third' where id = ${ann.id}`
  assert.equal((await read()).bio, 'third')
})

test("raises a user's version with every change of the row", async () => {
  const { id } = await person()
  const version = async () => {
    const [row] = await ctx.sql<
      [{ version: string }]
    >`select content_version as version from users where id = ${id}`
    return row.version
  }
  let last = await version()
  await ctx.sql.begin(async (tx) => {
    for (let n = 0; n < 20; n += 1) {
      await tx`update users set bio = ${`bio ${n}`} where id = ${id}`
      const [row] = await tx<
        [{ version: string }]
      >`select content_version as version from users where id = ${id}`
      assert.ok(row.version > last, `${row.version} after ${last}`)
      last = row.version
    }
  })
})

describe('the newest comments that a list shows with a feed', () => {
  const feedWithComments = async (authors: Person[]) => {
    const owner = await person()
    mark += 1
    const made = await as(owner, 'POST', '/feeds', { feed_content: 'A note.', feed_from: 1, feed_mark: mark })
    const ids: number[] = []
    for (const [n, author] of authors.entries()) {
      const { status, body } = await as(author, 'POST', `/feeds/${made.body.id}/comments`, { body: `n ${n}` })
      assert.equal(status, 201)
      ids.push(body.comment.id)
    }
    const shown = async (viewer: Person) => {
      const { body } = await as(viewer, 'GET', `/feeds?id=${made.body.id}`)
      return body.feeds[0].comments.map(({ id }: { id: number }) => id)
    }
    return { feed: made.body.id as number, ids, shown }
  }
  let mark = 900

  test('leave out authors that the viewer blocks, also disabled ones, and show the next ones', async () => {
    const [bad, good, viewer] = [await person(), await person(), await person()]
    const { ids, shown } = await feedWithComments([good, good, good, good, bad, good, bad])
    const [first, , , , ...last] = ids
    assert.deepEqual(await shown(viewer), ids.toReversed().slice(0, 5))
    assert.equal((await as(viewer, 'POST', `/user/black/${bad.id}`)).status, 201)
    const others = ids.filter((id) => id !== last[0] && id !== last[2]).toReversed()
    assert.deepEqual(await shown(viewer), others)
    assert.ok(others.includes(first ?? 0))
    await ctx.sql`update users set deleted_at = now() where id = ${bad.id}`
    assert.deepEqual(await shown(viewer), others)
    assert.deepEqual(await shown(good), ids.toReversed().slice(0, 5))
  })

  test('are those of now for every reader while comments are written and deleted', async () => {
    const [author, viewer] = [await person(), await person()]
    const { feed, ids, shown } = await feedWithComments([author, author, author])
    for (let round = 0; round < 8; round += 1) {
      const [made, gone] = await Promise.all([
        as(author, 'POST', `/feeds/${feed}/comments`, { body: `round ${round}` }),
        as(author, 'DELETE', `/feeds/${feed}/comments/${ids.shift()}`),
        ...Array.from({ length: 4 }, () => shown(viewer)),
      ])
      assert.deepEqual([made.status, gone.status], [201, 204])
      ids.push(made.body.comment.id)
      assert.deepEqual(await shown(viewer), ids.toReversed())
    }
  })

  test('have a version that every statement raises which counts comments', async () => {
    const author = await person()
    const { feed } = await feedWithComments([author])
    const version = async () => {
      const [row] = await ctx.sql<[{ version: string }]>`
        select content_version as version from feeds where id = ${feed}`
      return row.version
    }
    const before = await version()
    await ctx.sql`update feeds set feed_comment_count = feed_comment_count where id = ${feed}`
    const after = await version()
    assert.ok(after > before)
    await ctx.sql`update feeds set like_count = like_count + 1 where id = ${feed}`
    assert.equal(await version(), after)
  })
})
