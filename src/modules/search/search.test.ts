import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, musicEditor } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { publish } = feedsOf(world)
const find = async (who: Person | null, query: string) => {
  const path = `/search?${query}`
  const { status, body } = await (who ? as(who, 'GET', path) : guest('GET', path))
  assert.equal(status, 200, JSON.stringify(body))
  return body as Record<string, { id: number; [name: string]: unknown }[]>
}
const idsOf = (items: { id: number }[] | undefined) => items?.map(({ id }) => id)
const TYPES = ['users', 'feeds', 'feed-topics', 'news', 'questions', 'groups', 'musics']

test('finds the first results of every kind (search-1)', async () => {
  const author = await person({ name: '鲸鱼之友' })
  const feed = await publish(author, { feed_content: '今天看到一条鲸' })
  const topic = (await as(author, 'POST', '/feed/topics', { name: '鲸落' })).body.id
  const newsroom = await newsEditor(world)
  const category = await createCategory(world, newsroom)
  const article = await createNews(world, newsroom, author, { category_id: category, title: '座头鲸归来' })
  const question = await questionsOf(world).ask(author, { subject: '鲸为什么会搁浅？' })
  const group = await groupMaker(world).group(author, { name: '观鲸小组' })
  const song = await createSong(world, await musicEditor(world), { body: { title: '鲸歌' } })
  const found = await find(null, `q=${encodeURIComponent('鲸')}`)
  assert.deepEqual(Object.keys(found), TYPES)
  assert.deepEqual(
    TYPES.map((type) => idsOf(found[type])),
    [[author.id], [feed], [topic], [article], [question], [group], [song]],
  )
  const own = await guest('GET', `/feeds?search=${encodeURIComponent('鲸')}`)
  assert.deepEqual(Object.keys(found.feeds![0]!), Object.keys(own.body.feeds[0]))
})

test('pages through one kind by the id of the last result (search-1)', async () => {
  const author = await person()
  const ids: number[] = []
  for (let n = 0; n < 7; n += 1) ids.unshift(await publish(author, { feed_content: `paging marker ${n}` }))
  assert.deepEqual(idsOf((await find(author, 'q=paging+marker')).feeds), ids.slice(0, 5))
  const seen: number[] = []
  for (let after = 0; ; ) {
    const page = idsOf((await find(author, `q=paging+marker&type=feeds&limit=3&after=${after}`)).feeds)!
    seen.push(...page)
    if (page.length < 3) break
    after = page.at(-1)!
  }
  assert.deepEqual(seen, ids)
  assert.deepEqual(Object.keys(await find(author, 'q=x&type=groups')), ['groups'])
})

test('excludes users and content that are disabled, deleted, pending review or blocked (search-1)', async () => {
  const [viewer, author] = [await person(), await person({ name: 'quokka_one' })]
  const founder = await person({ roles: ['founder'] })
  const closed = await person({ name: 'quokka_two' })
  assert.equal((await as(founder, 'DELETE', `/admin/users/${closed.id}`)).status, 204)
  const [kept, gone] = [
    await publish(author, { feed_content: 'quokka kept' }),
    await publish(author, { feed_content: 'quokka gone' }),
  ]
  assert.equal((await as(author, 'DELETE', `/feeds/${gone}`)).status, 204)
  assert.equal(
    (await as(founder, 'PATCH', '/admin/settings', { 'feed:topic:need-review': true })).status,
    204,
  )
  assert.equal((await as(author, 'POST', '/feed/topics', { name: 'quokka topic' })).status, 201)
  const question = await questionsOf(world).ask(author, { subject: 'quokka?', anonymity: 1 })
  const groups = groupMaker(world)
  const group = await groups.group(author, { name: 'quokka group', mode: 'private' })
  await groups.post(author, group, { title: 'quokka post' })
  const found = await find(viewer, 'q=quokka')
  assert.deepEqual(
    TYPES.map((type) => idsOf(found[type])),
    [[author.id], [kept], [], [], [question], [group], []],
  )
  assert.equal(found.questions![0]!.user_id, 0)
  assert.equal((await as(viewer, 'POST', `/user/black/${author.id}`)).status, 201)
  assert.deepEqual((await find(viewer, 'q=quokka&type=feeds')).feeds, [])
  await sql`update groups set audit = 0 where id = ${group}`
  assert.deepEqual((await find(viewer, 'q=quokka&type=groups')).groups, [])
})

test('rejects invalid queries (search-2)', async () => {
  for (const [query, field] of [
    ['', 'q'],
    ['q=', 'q'],
    ['q=x&after=5', 'after'],
    ['q=x&type=secrets', 'type'],
    ['q=x&limit=101', 'limit'],
    [`q=${'x'.repeat(101)}`, 'q'],
  ] as const) {
    const { status, body } = await guest('GET', `/search?${query}`)
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], query)
  }
  await publish(await person(), { feed_content: 'percent 100% sure' })
  assert.equal((await find(null, 'q=100%25')).feeds!.length, 1)
  assert.deepEqual((await find(null, 'q=1%25%25')).feeds, [])
})

test('filters the lists of songs and questions by title', async () => {
  const label = await musicEditor(world)
  const song = await createSong(world, label, { body: { title: 'Wombat waltz' } })
  await createSong(world, label, { body: { title: 'Another' } })
  assert.deepEqual(idsOf((await guest('GET', '/music/songs?q=wombat')).body), [song])
  const author = await person()
  const questions = questionsOf(world)
  const [first, second] = [
    await questions.ask(author, { subject: 'wombat one?' }),
    await questions.ask(author, { subject: 'wombat two?' }),
  ]
  const list = (query: string) => guest('GET', `/questions?type=all&subject=wombat${query}`)
  assert.deepEqual(idsOf((await list('')).body), [second, first])
  assert.deepEqual(idsOf((await list(`&after=${second}`)).body), [first])
})
