import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { bringerOf, faultsOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { differencesOf } from '#test/fixtures/mirror.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { PLAN } from '../../../importers/thinksns/plan.ts'

const DATED = { created_at: '2021-01-01 00:00:00', updated_at: '2021-01-01 00:00:00' }

describe('leaves what a first run would, after edits that few old sites make', {
  skip: skipMariaDb,
}, async () => {
  const world = await createWorld()
  const folder = await mkdtemp(join(tmpdir(), 'kith-later-'))
  let maria: MariaDb
  let source: ThinkSns
  let bring: ReturnType<typeof bringerOf>

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'later')
    const { add } = source
    for (const id of [1, 2, 3]) await add('users', { id, name: `person${id}`, ...DATED })
    await add(
      'feeds',
      ...[1, 2].map((id) => ({
        id,
        user_id: 1,
        feed_content: 'f',
        feed_mark: id,
        audit_status: 1,
        ...DATED,
      })),
    )
    await source.run("update feeds set deleted_at = '2022-01-01 00:00:00' where id = 2")
    await add('certification_categories', { name: 'org', display_name: 'Firms', description: 'of the town' })
    await add('im_group', { id: 1, im_group_id: 'chat1', user_id: 2, ...DATED })
    for (const id of [1, 2]) {
      await mkdir(join(folder, 'a'), { recursive: true })
      await writeFile(join(folder, `a/${id}.png`), await flatPicture(8, 6).png().toBuffer())
      await add('files', {
        id,
        hash: `h${id}`,
        filename: `a/${id}.png`,
        mime: 'image/png',
        width: 8,
        height: 6,
      })
    }
    await add(
      'file_withs',
      { id: 1, file_id: 1, user_id: 1, channel: 'feed:image', raw: 1, ...DATED },
      { id: 2, file_id: 2, user_id: 1, ...DATED },
    )
    await add(
      'notifications',
      ...[1, 2].map((feed) => ({
        id: `00000000-0000-4000-8000-00000000000${feed}`,
        type: 'Zhiyi\\Plus\\Notifications\\Like',
        notifiable_type: 'users',
        notifiable_id: 1,
        data: JSON.stringify({ sender: { id: 2, name: 'a' }, resource: { type: 'feeds', id: feed } }),
        ...DATED,
      })),
    )
    bring = bringerOf(world, { database: source.address, files: folder })
    await bring()
  })
  after(async () => {
    await maria?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  for (const [title, ...edits] of [
    ['a kind of certification without a name', 'update certification_categories set display_name = null'],
    ['a removed kind of certification', 'delete from certification_categories'],
    ['another owner of a chat group', 'update im_group set user_id = 3'],
    ['another time of an upload', "update file_withs set created_at = '2020-06-06 00:00:00'"],
    ['another type of a copied file', "update files set mime = 'image/gif', width = 9 where id = 1"],
    ['a restored feed with an unread notification', 'update feeds set deleted_at = null'],
    ['a deleted feed with an unread notification', "update feeds set deleted_at = '2022-01-01' where id = 1"],
  ] as [string, ...string[]][])
    test(title, async () => {
      for (const edit of edits) await source.run(edit)
      await bring()
      const fresh = await createWorld()
      await bringerOf(fresh, { database: source.address, files: folder })()
      assert.deepEqual(await differencesOf(world, fresh), [])
    })

  test('removes what users made here beyond all ranges of the source with --again', async () => {
    const { sql } = world
    await sql`select setval(pg_get_serial_sequence('feeds', 'id'), 1000000)`
    const stranger = await world.person()
    const made = await world.as(stranger, 'POST', '/feeds', {
      ...{ feed_content: 'made here', feed_from: 1, feed_mark: 999_999_999 },
    })
    assert.equal(made.body.id, 1_000_001)
    const { reasons } = await bring({ again: true })
    assert.equal((await sql`select from feeds where id > 1000000`).count, 0)
    assert.ok(reasons('feeds', 1_000_001).includes('no longer in the source: removed'))
    assert.deepEqual(await faultsOf(world), [])
  })

  test('ends the sign-ins of users whom the source disabled or never had', async () => {
    const { sql } = world
    const stranger = await world.person()
    const tokens = [(await issueToken(sql, 3)).access_token, stranger.token ?? '']
    const post = (token: string) =>
      world.as({ id: 0, name: '', token }, 'POST', '/feeds', {
        ...{ feed_content: 'still here', feed_from: 1, feed_mark: 999_999_998 },
      })
    await source.run("update users set deleted_at = '2022-01-01' where id = 3")
    await bring()
    for (const token of tokens) assert.equal((await post(token)).status, 401)
    assert.deepEqual(await faultsOf(world), [])
  })

  test('reports the second video of a feed that lies in another range', async () => {
    const part = PLAN.find((each) => 'table' in each && each.table === 'feed_videos')
    assert.ok(part && 'table' in part)
    part.width = 5
    try {
      for (const id of [1, 7]) await source.add('feed_videos', { id, feed_id: 1, video_id: 1, cover_id: 2 })
      const { reasons } = await bring()
      assert.deepEqual(reasons('feed_videos', 1), [])
      assert.deepEqual(reasons('feed_videos', 7), ['the feed has a video already'])
    } finally {
      delete part.width
    }
  })
})
