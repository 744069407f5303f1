import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markNodesUnused } from '#modules/files/index.ts'
import { addJob } from '#platform/jobs'
import { storePicture } from '#test/fixtures/nodes.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { createWorld, type Person } from '#test/world.ts'

const SETTING = 'feed:topic:default-logo'
const world = await createWorld()
const { as, guest, person, sql, work } = world
const { createTopic } = topicsOf(world)
const founder = await person({ roles: ['founder', 'owner'] })

const set = (node: string | null, who: Person = founder) =>
  as(who, 'PATCH', '/admin/settings', { [SETTING]: node })

test('shows the default picture for topics without one (topics-16)', async () => {
  const author = await person()
  const bare = await createTopic(author, { name: 'Bare topic' })
  const own = await createTopic(author, { logo: await storePicture(world, author) })
  const logosOf = async () => {
    const [item, { body: detail }, { body: found }, { body: managed }] = await Promise.all([
      guest('GET', '/feed/topics').then(({ body }) => body.find(({ id }: { id: number }) => id === bare)),
      guest('GET', `/feed/topics/${bare}`),
      as(author, 'GET', '/search?q=Bare&type=feed-topics'),
      as(founder, 'GET', `/admin/feed-topics/${bare}`),
    ])
    return [item.logo, detail.logo, found['feed-topics'][0].logo, managed.logo]
  }
  assert.deepEqual(await logosOf(), [null, null, null, null])
  const { logo: ownLogo } = (await guest('GET', `/feed/topics/${own}`)).body
  assert.equal((await set(await storePicture(world, founder))).status, 204)
  const [item, detail, found, managed] = await logosOf()
  assert.deepEqual(item, {
    url: item.url,
    vendor: 'local',
    mime: 'image/png',
    size: item.size,
    dimension: { width: 30, height: 20 },
  })
  assert.deepEqual([detail, found], [item, item])
  assert.equal(managed, null)
  assert.deepEqual((await guest('GET', `/feed/topics/${own}`)).body.logo, ownLogo)
  assert.notEqual(ownLogo.url, item.url)
  assert.equal((await set(null)).status, 204)
  assert.deepEqual(await logosOf(), [null, null, null, null])
})

test('accepts only a picture that the administrator stored (topics-16)', async () => {
  const other = await person({ roles: ['founder', 'owner'] })
  const node = await storePicture(world, founder)
  for (const refused of ['public:nonsense', await storePicture(world, other)]) {
    const { status, body } = await set(refused)
    assert.deepEqual([status, Object.keys(body.errors)], [422, [SETTING]], refused)
  }
  assert.equal((await set(node)).status, 204)
  // Repeats the value, as a client does that sends all settings.
  assert.equal((await set(node, other)).status, 204)
})

test('keeps the file of the default picture (files-11, topics-16)', async () => {
  const [chosen, replaced] = [await storePicture(world, founder), await storePicture(world, founder)]
  for (const node of [replaced, chosen]) assert.equal((await set(node)).status, 204)
  const tidy = async () => {
    await sql`update storage_nodes set created_at = now() - interval '2 days'`
    await addJob(sql, 'tidy_files', {})
    await work()
    return (await sql<{ node: string }[]>`select node from storage_nodes`).map(({ node }) => node)
  }
  assert.ok((await tidy()).includes(chosen))
  // The erasure of the founder does the same with the picture of the profile.
  await markNodesUnused(sql, [chosen, replaced], founder.id)
  const left = await tidy()
  assert.deepEqual([left.includes(chosen), left.includes(replaced)], [true, false])
})
