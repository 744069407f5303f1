import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { commentCounters } from '#modules/comments/index.ts'
import { musicCounters, musicImporter } from '#modules/music/index.ts'
import { newsCounters, newsImporter } from '#modules/news/index.ts'
import type { Db } from '#platform/database.ts'
import { type Fault, type Importer, importLines } from '#platform/import-lines.ts'
import type { TObject } from '#platform/schema.ts'
import { flatPicture, wav } from '#test/fixtures/media.ts'
import { createCategory, createNews, createTag, newsEditor } from '#test/fixtures/news.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld } from '#test/world.ts'
import { exportArea } from './import.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
/** Another installation, with nothing in it. */
const other = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'kith-import-'))
after(() => rm(folder, { recursive: true, force: true }))
const writer = await person()

let files = 0
async function fileOf(lines: (object | string)[]): Promise<string> {
  files += 1
  const path = join(folder, `${files}.jsonl`)
  await writeFile(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}
async function load<F extends Record<string, TObject>, R>(
  importer: Importer<F, R>,
  path: string,
  { into = ctx, again = false } = {},
) {
  const faults: Fault[] = []
  const shares: number[] = []
  const done = await importLines(
    into,
    importer,
    { path, folder: `${path}.files`, again, batchLines: 200 },
    {
      fault: (fault) => void faults.push(fault),
      progress: (share) => void shares.push(share),
    },
  )
  return { ...done, faults, shares }
}
const linesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const assertNoDrift = async (db: Db = sql) => {
  for (const check of [...musicCounters, ...newsCounters, ...commentCounters])
    assert.deepEqual(await check.find(db), [], check.name)
}

describe('importing music', () => {
  test('makes albums, singers, songs and comments with their counters', async () => {
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

  test('reports every bad line with its number and leaves it out', async () => {
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
      ]),
    )
    assert.deepEqual(
      faults.map(({ number }) => number),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    )
    assert.deepEqual([kept, bad], [1, 11])
    assert.match(faults[3]?.reason ?? '', /title/)
    assert.match(faults[5]?.reason ?? '', /no special none/)
    const made = await sql`select external_id from music_songs where external_id like 'b%'`
    assert.deepEqual(
      made.map((row) => row.external_id),
      ['b1'],
    )
    await assertNoDrift()
  })

  test('goes on where it was stopped, and a file imported again changes nothing', async () => {
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
        // The second batch is written and fails before its commit, as when the process is killed.
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
    assert.deepEqual([again.resumedAt, again.kept], [450, 0])
    assert.deepEqual(await count(), [300, 150])
    const other = await load(musicImporter, await fileOf(lines.filter((line) => line.kind === 'song')))
    assert.deepEqual([other.faults, await count()], [[], [300, 150]])
    await assertNoDrift()
  })

  test('by two commands at once imports every line once', async () => {
    const path = await fileOf(
      Array.from({ length: 700 }, (_, n) =>
        n === 0
          ? { kind: 'song', id: 'w', title: 'Twice', singer: 'Rita' }
          : { kind: 'comment', song: 'w', user: writer.name, body: `twice ${n}` },
      ),
    )
    await Promise.allSettled([load(musicImporter, path), load(musicImporter, path)])
    await load(musicImporter, path)
    const [row] = await sql`select count(*) as n from comments where body like 'twice %'`
    assert.equal(row?.n, 699)
    await assertNoDrift()
  })
})

describe('importing news', () => {
  test('makes categories, published articles and comments with their counters', async () => {
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
})

/** How much there is of everything an import could make. */
const contents = async (db: Db) => [
  ...(await db`
    select (select count(*) from users) as users, (select count(*) from comments) as comments,
      (select count(*) from music_songs) as songs, (select count(*) from music_specials) as specials,
      (select count(*) from music_special_songs) as links, (select count(*) from music_singers) as singers,
      (select count(*) from paid_nodes) as nodes, (select sum(amount) from paid_nodes) as amounts,
      (select count(*) from news) as news, (select count(*) from news_tags) as tags,
      (select count(*) from news_categories) as categories, (select sum(rank) from news_categories) as ranks,
      (select count(*) from file_uses) as files, (select sum(comments_count) from user_counts) as written,
      (select max(updated_at) from music_songs) as song, (select max(updated_at) from news) as article`),
]

/** A line without the names of files and the ids of uploads, which another database gives anew. */
const nameless = (line: object) =>
  JSON.stringify(line)
    .replaceAll(/[0-9a-f]{64}/g, 'NAME')
    .replaceAll(/"id":\d+/g, '"id":0')
    .replaceAll(/\]\(\d+\)/g, '](0)')

describe('an export', () => {
  const uploads = async (area: string, ...paths: string[]) => {
    await mkdir(`${join(folder, area)}.files`, { recursive: true })
    for (const path of paths)
      await writeFile(
        join(`${join(folder, area)}.files`, path),
        path.endsWith('.wav') ? wav() : await flatPicture(40, 30).png().toBuffer(),
      )
  }

  test('of music, imported again, changes nothing, and makes everything on an empty database', async () => {
    const editor = await musicEditor(world)
    const reader = await person()
    const special = await createSpecial(world, editor, {
      body: { storage: await uploadPicture(world, editor), amount: 30, intro: 'About' },
    })
    const song = await createSong(world, editor, {
      body: { amount: 7, paid_type: 'download', specials: [special], lyric: 'la\nla' },
    })
    const { body } = await guest('GET', `/music/${song}`)
    const cover = await uploadPicture(world, editor)
    await as(editor, 'PATCH', `/admin/music/singers/${body.singer.id}`, { cover })
    await as(reader, 'POST', `/music/${song}/comments`, { body: 'hello', reply_user: writer.id })
    await as(reader, 'POST', `/music/specials/${special}/comments`, { body: 'an album' })
    await as(reader, 'PATCH', `/music/specials/${special}/share`)
    await sql`update users set deleted_at = now() where id = ${reader.id}`

    const path = join(folder, 'music-out.jsonl')
    const { lines, named } = await exportArea(ctx, 'music', path)
    assert.equal(named, 3)
    assert.equal((await readdir(`${path}.files`)).length, 3)
    const given = await linesOf(path)
    assert.equal(given.length, lines)
    const before = await contents(sql)
    const again = await load(musicImporter, path)
    assert.deepEqual([again.faults, again.kept], [[], lines])
    assert.deepEqual(await contents(sql), before)

    assert.deepEqual((await load(musicImporter, path, { into: other.ctx })).faults, [])
    const copy = join(folder, 'music-copy.jsonl')
    await exportArea(other.ctx, 'music', copy)
    assert.deepEqual((await linesOf(copy)).map(nameless), given.map(nameless))
    await assertNoDrift(other.sql)
    const [copied] = (await other.guest('GET', '/music/songs?limit=1')).body
    const view = (await other.guest('GET', `/music/${copied.id}`)).body
    assert.deepEqual(
      [view.title, view.storage.amount, view.storage.type, view.singer.cover.size, view.comment_count],
      [body.title, 7, 'download', '30x20', 1],
    )
    const [album] = (await other.guest('GET', '/music/specials?limit=1')).body
    assert.deepEqual(
      [album.storage.size, album.paid_node.amount, album.share_count, album.comment_count],
      ['30x20', 30, 1, 2],
    )
    const listener = await other.person()
    assert.equal((await other.as(listener, 'GET', `/files/${view.storage.id}`)).status, 403)
  })

  test('of music leaves out what is deleted, and its file imported again does not bring it back', async () => {
    const path = await fileOf([
      { kind: 'special', id: 'gone-album', title: 'Gone album' },
      { kind: 'song', id: 'gone-song', title: 'Gone song', singer: 'Gone singer', specials: ['gone-album'] },
      { kind: 'song', id: 'left-song', title: 'Left song', singer: 'Left singer', specials: ['gone-album'] },
      { kind: 'comment', song: 'gone-song', user: writer.name, body: 'gone with the song' },
      { kind: 'comment', special: 'gone-album', user: writer.name, body: 'gone with the album' },
      { kind: 'comment', song: 'left-song', user: writer.name, body: 'left' },
    ])
    assert.deepEqual((await load(musicImporter, path)).faults, [])
    // As while the job that removes their comments has yet to run.
    await sql`update music_songs set deleted_at = now() where external_id = 'gone-song'`
    await sql`update music_specials set deleted_at = now() where external_id = 'gone-album'`
    await sql`update music_singers set deleted_at = now() where name = 'Gone singer'`
    const out = join(folder, 'deleted-out.jsonl')
    await exportArea(ctx, 'music', out)
    const told = (await linesOf(out)).map(({ title, name, body }) => title ?? name ?? body)
    for (const text of ['Left song', 'Left singer', 'left']) assert.ok(told.includes(text), text)
    for (const text of [
      'Gone song',
      'Gone album',
      'Gone singer',
      'gone with the song',
      'gone with the album',
    ])
      assert.ok(!told.includes(text), text)

    const again = await load(musicImporter, path, { again: true })
    assert.deepEqual(
      again.faults.map(({ reason }) => reason),
      ['there is no song gone-song', 'there is no special gone-album'],
    )
    const added = await fileOf([
      { kind: 'song', id: 'new-song', title: 'New song', singer: 'Gone singer', specials: ['gone-album'] },
    ])
    assert.deepEqual((await load(musicImporter, added)).faults, [])
    const [song] = await sql`
      select g.name, g.deleted_at, array(select special_id from music_special_songs where song_id = s.id) as specials
      from music_songs s join music_singers g on g.id = s.singer_id where s.external_id = 'new-song'`
    assert.deepEqual(song, { name: 'Gone singer', deleted_at: null, specials: [] })
    const [left] = await sql`
      select count(*) as n from music_songs where external_id in ('gone-song', 'left-song') and deleted_at is null`
    assert.equal(left?.n, 1)
  })

  test('of news, imported again, changes nothing, and makes everything on an empty database', async () => {
    const editor = await newsEditor(world)
    const [author, reader] = [await person(), await person()]
    const shown = await uploadPicture(world, editor)
    const id = await createNews(world, editor, author, {
      category_id: await createCategory(world, editor, 3),
      content: `See @![this](${shown})`,
      image: await uploadPicture(world, editor),
      tags: [await createTag(world)],
    })
    await as(reader, 'POST', `/news/${id}/comments`, { body: 'hello', reply_user: author.id })
    const path = join(folder, 'news-out.jsonl')
    await exportArea(ctx, 'news', path)
    const given = await linesOf(path)
    const before = await contents(sql)
    assert.deepEqual((await load(newsImporter, path)).faults, [])
    assert.deepEqual(await contents(sql), before)

    assert.deepEqual((await load(newsImporter, path, { into: other.ctx })).faults, [])
    const copy = join(folder, 'news-copy.jsonl')
    await exportArea(other.ctx, 'news', copy)
    assert.deepEqual((await linesOf(copy)).map(nameless), given.map(nameless))
    await assertNoDrift(other.sql)
    const [article] = (await other.guest('GET', '/news?limit=1')).body
    const { content, image, comment_count } = (await other.guest('GET', `/news/${article.id}`)).body
    assert.deepEqual([image.size, comment_count], ['30x20', 1])
    const [, upload] = content.match(/\((\d+)\)/) ?? []
    const [use] = await other.sql`select channel, raw from file_uses where id = ${upload}`
    assert.deepEqual({ ...use }, { channel: 'news:content', raw: article.id })
  })

  test('brings files by their path, and a line whose file is missing, wrong or elsewhere is a bad one', async () => {
    await uploads('paths.jsonl', 'good.wav', 'cover.png')
    const path = join(folder, 'paths.jsonl')
    const song = (id: string, more: object) => ({ kind: 'song', id, title: id, singer: 'Pat', ...more })
    const lines = [
      { kind: 'singer', name: 'Pat', cover: 'cover.png' },
      song('p1', { file: 'good.wav', amount: 5, paid_type: 'listen' }),
      song('p2', { file: 'none.wav' }),
      song('p3', { file: 'cover.png' }),
      song('p4', { file: '../paths.jsonl' }),
      song('p5', { amount: 5, paid_type: 'listen' }),
      song('p6', { file: 'good.wav', amount: 5 }),
      song('p7', { file: 'good.wav', created_at: '2020-02-30' }),
      song('p8', { file: './good.wav' }),
    ]
    await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'))
    const { faults } = await load(musicImporter, path)
    assert.deepEqual(
      faults.map(({ number }) => number),
      [3, 4, 5, 6, 7, 8],
    )
    const made = await sql`
      select s.external_id as id, u.raw = s.id as bound, n.amount from music_songs s
      join file_uses u on u.id = s.storage and u.channel = 'music:storage'
      left join paid_nodes n on n.channel = 'file' and n.raw = s.storage
      where s.external_id in ('p1', 'p8') order by s.id`
    assert.deepEqual(
      made.map((row) => ({ ...row })),
      [
        { id: 'p1', bound: true, amount: 5 },
        { id: 'p8', bound: true, amount: null },
      ],
    )
    await uploads('paths.jsonl', 'none.wav')
    const again = await load(musicImporter, path, { again: true })
    assert.deepEqual(
      again.faults.map(({ number }) => number),
      [4, 5, 6, 7, 8],
    )
    assert.equal((await sql`select from music_songs where external_id like 'p_'`).length, 3)
  })
})
