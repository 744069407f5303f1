import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commentCounters } from '#modules/comments/index.ts'
import { musicCounters, musicImporter } from '#modules/music/index.ts'
import { newsCounters, newsImporter } from '#modules/news/index.ts'
import type { Db } from '#platform/database'
import { lineFiles } from '#test/fixtures/line-files.ts'
import { createTag } from '#test/fixtures/news.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { guest, person, sql, ctx } = world
const { fileOf, load } = await lineFiles(ctx)

const writer = await person()

const assertNoDrift = async (db: Db = sql) => {
  for (const check of [...musicCounters, ...newsCounters, ...commentCounters])
    assert.deepEqual(await check.find(db), [], check.name)
}

const songWithComments = (id: string, count: number) =>
  fileOf([
    { kind: 'song', id, title: id, singer: 'Rita' },
    ...Array.from({ length: count }, (_, n) => ({
      kind: 'comment',
      song: id,
      user: writer.name,
      body: `${id} ${n}`,
    })),
  ])

describe('importing music', () => {
  test('creates music with its comments and counters', async () => {
    const path = await fileOf([
      { kind: 'special', id: 'a1', title: 'Album One', intro: 'About' },
      {
        kind: 'song',
        id: 's1',
        title: 'Song One',
        singer: 'Ann',
        last_time: 99,
        specials: ['a1'],
        taste_count: 5,
      },
      { kind: 'song', id: 's2', title: 'Song Two', singer: 'ANN', created_at: '2020-01-02T03:04:05Z' },
      '',
      { kind: 'comment', song: 's1', user: writer.name, body: 'nice' },
      { kind: 'comment', special: 'a1', user: writer.name, body: 'an album' },
    ])
    const done = await load(musicImporter, path)
    assert.deepEqual([done.faults, done.lines, done.bad], [[], 6, 0])
    assert.equal(done.shares.at(-1), 1)
    const songs = (await guest('GET', '/music/songs')).body
    assert.deepEqual(
      songs.map((song: { title: string; taste_count: number }) => [song.title, song.taste_count]),
      [
        ['Song Two', 0],
        ['Song One', 5],
      ],
    )
    assert.equal(songs[0].created_at, '2020-01-02 03:04:05')
    assert.equal(songs[0].singer, songs[1].singer)
    const [album] = (await guest('GET', '/music/specials')).body
    assert.deepEqual([album.title, album.comment_count, album.taste_count], ['Album One', 2, 5])
    const found = await sql`select id from music_songs where title_grams @> array['tw']`
    assert.equal(found.length, 1)
    await assertNoDrift()
  })

  test('reports the number of every skipped line', async () => {
    const { faults, kept, bad } = await load(
      musicImporter,
      await fileOf([
        { kind: 'song', id: 'b1', title: 'Good', singer: 'Bob' },
        'no json',
        '[]',
        { kind: 'poem', id: 'b2' },
        { kind: 'song', id: 'b3', singer: 'Bob' },
        { kind: 'song', id: 'b4', title: 'x'.repeat(256), singer: 'Bob' },
        { kind: 'song', id: 'b5', title: 'On nothing', singer: 'Bob', specials: ['none'] },
        { kind: 'comment', song: 'none', user: writer.name, body: 'x' },
        { kind: 'comment', song: 'b1', user: 'nobody at all', body: 'x' },
        { kind: 'comment', user: writer.name, body: 'x' },
        { kind: 'song', id: 'b6', title: '\u200b', singer: 'Bob' },
        { kind: 'song', id: 'b7', title: 'When', singer: 'Bob', created_at: 'yesterday' },
        { kind: 'song', id: 'b8', title: 'Long', singer: 'Bob', more: 'x'.repeat(1024 * 1024) },
        'null',
        { kind: 'song', id: 'b9', title: 'No such day', singer: 'Bob', created_at: '2021-02-30' },
      ]),
    )
    assert.deepEqual(
      faults.map(({ number }) => number),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    )
    assert.deepEqual([kept, bad], [1, 14])
    assert.match(faults[3]?.reason ?? '', /title/)
    assert.match(faults[5]?.reason ?? '', /no special none/)
    const made = await sql`select external_id from music_songs where external_id like 'b%'`
    assert.deepEqual(
      made.map((row) => row.external_id),
      ['b1'],
    )
    await assertNoDrift()
  })

  test('imports every line once when an import is interrupted and repeated', async () => {
    const lines = Array.from({ length: 450 }, (_, n) =>
      n % 3 === 2
        ? { kind: 'comment', song: `r${n - 1}`, user: writer.name, body: `c${n}` }
        : { kind: 'song', id: `r${n}`, title: `Run ${n}`, singer: 'Rita' },
    )
    const path = await fileOf(lines)
    let batches = 0
    const stopping: typeof musicImporter = {
      ...musicImporter,
      async write(...batch) {
        const faults = await musicImporter.write(...batch)
        batches += 1
        // Fails the second batch before its commit, like a killed process.
        if (batches === 2) throw new Error('stopped')
        return faults
      },
    }
    await assert.rejects(load(stopping, path), /stopped/)
    const count = async () => {
      const [row] = await sql`
        select (select count(*) from music_songs where external_id like 'r%') as songs,
          (select count(*) from comments where body like 'c%' and user_id = ${writer.id}) as comments`
      return [row?.songs, row?.comments]
    }
    assert.deepEqual(await count(), [134, 66])
    const rest = await load(musicImporter, path)
    assert.deepEqual([rest.resumedAt, rest.kept, rest.faults], [200, 250, []])
    assert.deepEqual(await count(), [300, 150])
    const again = await load(musicImporter, path)
    assert.deepEqual([again.resumedAt, again.kept, again.shares], [450, 0, []])
    assert.deepEqual(await count(), [300, 150])
    const other = await load(musicImporter, await fileOf(lines.filter((line) => line.kind === 'song')))
    assert.deepEqual([other.faults, await count()], [[], [300, 150]])
    await assertNoDrift()
  })

  test('imports every line once when two import commands run at once', async () => {
    const path = await songWithComments('twice', 699)
    await Promise.allSettled([load(musicImporter, path), load(musicImporter, path)])
    await load(musicImporter, path)
    const [row] = await sql`select count(*) as n from comments where body like 'twice %'`
    assert.equal(row?.n, 699)
    await assertNoDrift()
  })

  test('imports every line once when two import commands resume from the same line', async () => {
    const path = await songWithComments('both', 399)
    let began = 0
    let stops = true
    const together = Promise.withResolvers<void>()
    const slow: typeof musicImporter = {
      ...musicImporter,
      async prepare(...batch) {
        began += 1
        // The interrupted run prepared two batches. At the fourth batch, both commands have resumed from the
        // same line.
        if (began === 4) together.resolve()
        return musicImporter.prepare(...batch)
      },
      async write(tx, batch, ...rest) {
        if (stops && batch.song.length === 0) throw new Error('stopped')
        if (!stops) await together.promise
        const faults = await musicImporter.write(tx, batch, ...rest)
        if (!stops) await sleep(100)
        return faults
      },
    }
    await assert.rejects(load(slow, path), /stopped/)
    stops = false
    const ended = await Promise.allSettled([load(slow, path), load(slow, path)])
    assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const [row] = await sql`select count(*) as n from comments where body like 'both %'`
    assert.equal(row?.n, 399)
    await assertNoDrift()
  })
})

describe('importing news', () => {
  test('creates news with its comments and counters', async () => {
    const tag = await createTag(world)
    const [{ name: tagName } = { name: '' }] = await sql`select name from tags where id = ${tag}`
    const reader = await person()
    const { faults } = await load(
      newsImporter,
      await fileOf([
        { kind: 'category', name: 'World', rank: 7 },
        {
          kind: 'article',
          id: 'n1',
          title: 'Big news',
          content: '# It **happened**',
          user: writer.name,
          category: 'world',
          tags: [tagName],
          hits: 12,
          created_at: '2021-02-03',
        },
        { kind: 'article', id: 'n2', title: 'x', content: 'x', user: writer.name, category: 'Local' },
        { kind: 'comment', news: 'n1', user: reader.name, body: 'wow' },
        { kind: 'article', id: 'n3', title: 'x', content: 'x', user: 'nobody at all', category: 'Local' },
        {
          kind: 'article',
          id: 'n4',
          title: 'x',
          content: 'x',
          user: writer.name,
          category: 'c',
          tags: ['none'],
        },
        { kind: 'comment', news: 'n3', user: reader.name, body: 'wow' },
      ]),
    )
    assert.deepEqual(
      faults.map(({ number }) => number),
      [5, 6, 7],
    )
    const { body } = await guest('GET', '/news?key=big')
    assert.deepEqual(
      [body[0].subject, body[0].hits, body[0].comment_count, body[0].category.rank, body[0].user_id],
      ['It happened', 12, 1, 7, writer.id],
    )
    const { pinneds, comments } = (await guest('GET', `/news/${body[0].id}/comments`)).body
    assert.deepEqual([pinneds, comments[0].target_user, comments[0].user.id], [[], writer.id, reader.id])
    assert.equal((await guest('GET', `/news/${body[0].id}`)).body.tags[0].id, tag)
    await assertNoDrift()
  })

  test('creates only missing tags and categories', async () => {
    const kept = await createTag(world)
    type Category = { id: number; name: string; tags: { id: number; name: string; weight: number }[] }
    const categories = async (): Promise<Category[]> => (await guest('GET', '/tags')).body
    const before = (await categories()).find(({ tags }) => tags.some(({ id }) => id === kept))!
    const { name } = before.tags[0]!
    const path = await fileOf([
      { kind: 'tag', name: name.toUpperCase(), category: 'Seasons', weight: 9 },
      { kind: 'tag', name: 'Autumn', category: 'Seasons', weight: 7 },
      { kind: 'tag', name: 'Crimson', category: before.name.toUpperCase(), weight: 5 },
    ])
    const added: number[][] = []
    for (const again of [false, true]) {
      assert.deepEqual((await load(newsImporter, path, { again })).faults, [])
      const after = await categories()
      const { tags } = after.find(({ id }) => id === before.id)!
      assert.deepEqual(
        tags.map((tag) => [tag.name, tag.weight]),
        [
          ['Crimson', 5],
          [name, before.tags[0]!.weight],
        ],
      )
      const seasons = after.filter((category) => category.name === 'Seasons')
      assert.deepEqual(
        seasons.map((category) => category.tags.map((tag) => [tag.name, tag.weight])),
        [[['Autumn', 7]]],
      )
      added.push([...tags, ...seasons[0]!.tags].map(({ id }) => id))
    }
    assert.deepEqual(added[0], added[1])
  })
})
