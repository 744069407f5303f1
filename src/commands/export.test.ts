import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commentCounters } from '#modules/comments/index.ts'
import { musicCounters, musicImporter } from '#modules/music/index.ts'
import { newsCounters, newsImporter } from '#modules/news/index.ts'
import type { Db } from '#platform/database'
import { lineFiles } from '#test/fixtures/line-files.ts'
import { flatPicture, wav } from '#test/fixtures/media.ts'
import { createCategory, createNews, createTag, newsEditor } from '#test/fixtures/news.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld } from '#test/world.ts'
import { exportArea } from './import.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const other = await createWorld()
const { folder, fileOf, load } = await lineFiles(ctx)

const writer = await person()

const linesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const assertNoDrift = async (db: Db = sql) => {
  for (const check of [...musicCounters, ...newsCounters, ...commentCounters])
    assert.deepEqual(await check.find(db), [], check.name)
}

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

/** Replaces file names and upload ids in a line, because each database assigns its own. */
const nameless = (line: object) =>
  JSON.stringify(line)
    .replaceAll(/[0-9a-f]{64}/g, 'NAME')
    .replaceAll(/"id":\d+/g, '"id":0')
    .replaceAll(/\]\(\d+\)/g, '](0)')

describe('kith export', () => {
  const uploads = async (area: string, ...paths: string[]) => {
    await mkdir(`${join(folder, area)}.files`, { recursive: true })
    for (const path of paths)
      await writeFile(
        join(`${join(folder, area)}.files`, path),
        path.endsWith('.wav') ? wav() : await flatPicture(40, 30).png().toBuffer(),
      )
  }

  test('imports exported music unchanged, also when the import is repeated', async () => {
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
    await as(editor, 'POST', '/admin/music/singers', { name: 'Without songs' })
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
    assert.equal(new Set(given.map((line) => JSON.stringify(line))).size, lines)
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

  test('neither exports nor re-imports deleted music', async () => {
    const path = await fileOf([
      { kind: 'special', id: 'gone-album', title: 'Gone album' },
      { kind: 'song', id: 'gone-song', title: 'Gone song', singer: 'Gone singer', specials: ['gone-album'] },
      { kind: 'song', id: 'left-song', title: 'Left song', singer: 'Left singer', specials: ['gone-album'] },
      { kind: 'comment', song: 'gone-song', user: writer.name, body: 'gone with the song' },
      { kind: 'comment', special: 'gone-album', user: writer.name, body: 'gone with the album' },
      { kind: 'comment', song: 'left-song', user: writer.name, body: 'left' },
    ])
    assert.deepEqual((await load(musicImporter, path)).faults, [])
    // Marks the rows as deleted. Their comments still exist, because the cleanup job has not run yet.
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

  test('imports exported news unchanged, also when the import is repeated', async () => {
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

  test('imports only valid files inside the folder of the uploads', async () => {
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

test('creates an export that only its owner can read', async () => {
  const editor = await newsEditor(world)
  const image = await uploadPicture(world, editor)
  await createNews(world, editor, writer, { category_id: await createCategory(world, editor), image })
  const path = join(folder, 'private', 'news.jsonl')
  await exportArea(ctx, 'news', path)
  const modeOf = async (place: string) => (await stat(place)).mode & 0o777
  assert.equal(await modeOf(path), 0o600)
  for (const place of [join(folder, 'private'), `${path}.files`]) assert.equal(await modeOf(place), 0o700)
  const [name = ''] = await readdir(`${path}.files`)
  assert.equal(await modeOf(join(`${path}.files`, name)), 0o600)
})
