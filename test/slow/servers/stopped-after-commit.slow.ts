import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { openMachine } from '#test/fixtures/machines.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-after-commit-'))
after(async () => {
  killAll()
  await rm(folder, { recursive: true, force: true })
})

/**
 * Commits changes on a node that receives no reply to the commits until `release`. The other node has cached the old
 * values.
 */
async function changeWithoutReply(name: string) {
  const world = await createWorld()
  const { as, connection, ctx, person, sql } = world
  const machine = await openMachine(connection)
  const server = startServer(join(folder, name), {
    PROCESSES: '1',
    DATABASE_URL: `postgres://${connection.user}@${machine.address}/${connection.database}`,
    APP_SECRET: 'a secret of the tests, long enough',
  })
  const address = await server.address
  const [author, reader] = [await person(), await person()]
  const founder = await person({ roles: ['founder', 'owner'] })
  const stolen = { ...author, token: (await issueToken(sql, author.id)).access_token }
  const feed = await feedsOf(world).publish(author)
  await as(author, 'POST', `/feeds/${feed}/comments`, { body: 'before' })

  const marker = `${name}_${process.pid}`
  const heard: string[] = []
  const shown = {
    text: async () => (await as(reader, 'GET', `/feeds?id=${feed}`)).body.feeds[0].comments[0].body,
    name: async () => (await as(reader, 'GET', `/users/${author.id}`)).body.name,
    setting: async () => (await as(reader, 'GET', '/bootstrappers')).body.checkin.balance,
    signIn: async () => (await as(stolen, 'GET', '/user')).status,
  }
  const before = [await shown.text(), await shown.name(), await shown.setting(), await shown.signIn()]
  assert.deepEqual(before, ['before', author.name, 10, 200])
  // The caches registered their handlers first, so they process each signal before this handler.
  for (const signal of ['settings', 'tokens']) ctx.signals.on(signal, () => void heard.push(signal))
  for (const { token } of [author, founder])
    assert.equal((await send(address, token, 'GET', '/user')).status, 200)

  machine.holdCommits()
  const sent = [
    send(address, author.token, 'POST', `/feeds/${feed}/comments`, { body: marker }),
    send(address, author.token, 'PATCH', '/user', { name: marker }),
    send(address, founder.token, 'PATCH', '/admin/settings', { 'checkin:balance': 77 }),
    send(address, author.token, 'DELETE', '/user/sessions'),
  ]
  const answers: number[] = []
  for (const each of sent)
    each.then(
      ({ status }) => void answers.push(status),
      () => {},
    )
  const committed = async () =>
    sql`select exists (select from comments where body = ${marker}) as text,
      exists (select from users where name = ${marker}) as name,
      exists (select from settings where name = 'checkin:balance' and value = '77') as setting,
      exists (select from token_families where user_id = ${author.id} and revoked_at is not null) as sign_in`
  await until(async () => Object.values((await committed())[0] ?? {}).every((is) => is), 'the four commits')
  assert.deepEqual(answers, [], 'the node has learned of no commit')

  return {
    server,
    address,
    author,
    marker,
    async assertShown() {
      // Row versions invalidate these caches, so the first read returns the changes.
      assert.deepEqual([await shown.text(), await shown.name()], [marker, marker])
      await until(() => heard.includes('settings') && heard.includes('tokens'), 'the announcements')
      assert.deepEqual([await shown.setting(), await shown.signIn()], [77, 401])
      // Proves that no reconnect has cleared the caches.
      assert.equal(ctx.signals.state().losses, 0)
    },
    async release() {
      machine.releaseCommits()
      return (await Promise.all(sent)).map(({ status }) => status)
    },
  }
}

test('shows changes on the other node when a node is killed before it learns of its commits', async () => {
  const { server, assertShown } = await changeWithoutReply('killed')
  server.child.kill('SIGKILL')
  await server.ended
  await assertShown()
})

test('shows changes on the other node when a node is paused before it learns of its commits', async () => {
  const { server, address, author, marker, assertShown, release } = await changeWithoutReply('stopped')
  server.child.kill('SIGSTOP')
  await assertShown()
  server.child.kill('SIGCONT')
  assert.deepEqual(await release(), [201, 204, 204, 204])
  const { status, body } = await send(address, author.token, 'GET', '/user')
  assert.deepEqual([status, (body as { name: string }).name], [200, marker])
  await assertShown()
  server.child.kill('SIGTERM')
  await server.ended
})
