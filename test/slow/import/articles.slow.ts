import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { differencesOf } from '#test/fixtures/mirror.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'

const OTHER = 'a picture of the old site is not among its files: shown as a link'

describe('imports pictures of articles', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  const { sql } = world
  const folder = await mkdtemp(join(tmpdir(), 'kith-articles-'))
  let maria: MariaDb
  let source: ThinkSns
  let bring: ReturnType<typeof bringerOf>

  const put = async (path: string, width: number) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), await flatPicture(width, 6).png().toBuffer())
  }
  const addFile = async (id: number, path: string) => {
    await source.add('files', { id, hash: `h${id}`, filename: path, mime: 'image/png', width: 8, height: 6 })
    await source.add('file_withs', { id: 1000 + id, file_id: id, user_id: 1 })
  }
  const contentOf = async (id: number) =>
    (await sql<{ content: string }[]>`select content from news where id = ${id}`)[0]?.content
  const channelOf = async (id: number) =>
    (await sql`select channel, raw from file_uses where id = ${id}`).map(({ channel, raw }) => [channel, raw])

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'articles')
    const { add } = source
    await add('users', { id: 1, name: 'writer' })
    await add('news_cates', { id: 1, name: 'all' })
    const article = (id: number, content: string) =>
      add('news', { id, title: `article ${id}`, content, user_id: 1, cate_id: 1, audit_status: 0 })
    await addFile(1, '2018/06/one.png')
    await addFile(3, '2018/06/窗 外.png')
    await put('2018/06/one.png', 8)
    await put('2018/06/two.png', 9)
    await put('2018/06/窗 外.png', 10)
    await article(1, '<p>a<img src="/storage/2018/06/one.png" alt="图"></p>')
    await article(2, '<p><img src="http://old.example/storage/2018/06/two.png?w=9"></p>')
    await article(3, 'b ![c](/storage/2018/06/%E7%AA%97%20%E5%A4%96.png) ![d](http://other.example/x.png)')
    bring = bringerOf(world, { database: source.address, files: folder })
  })
  after(async () => {
    await maria?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('embeds uploads by the path of their file, and names those that are missing', async () => {
    const { reasons, decisions } = await bring()
    assert.equal(await contentOf(1), 'a@![图](1001)')
    assert.equal(await contentOf(2), '![](http://old.example/storage/2018/06/two.png?w=9)')
    assert.equal(await contentOf(3), 'b @![c](1003) ![d](http://other.example/x.png)')
    assert.deepEqual(await channelOf(1001), [['news:content', 1]])
    assert.deepEqual(reasons('pictures in articles', 2), [OTHER])
    assert.deepEqual(reasons('pictures in articles', 1), [])
    assert.ok(decisions.some(({ id }) => id === `pictures in articles: ${OTHER}`))
  })

  test('embeds a picture whose file came later, and leaves one out whose file vanished', async () => {
    await addFile(2, '2018/06/two.png')
    await source.run('delete from file_withs where id = 1001')
    const { reasons } = await bring()
    assert.equal(await contentOf(2), '@![](1002)')
    assert.equal(await contentOf(1), 'a![图](/storage/2018/06/one.png)')
    assert.deepEqual(reasons('pictures in articles', 2), [])
    assert.deepEqual(reasons('pictures in articles', 1), [OTHER])
    const fresh = await createWorld()
    await bringerOf(fresh, { database: source.address, files: folder })()
    assert.deepEqual(await differencesOf(world, fresh), [])
  })
})
