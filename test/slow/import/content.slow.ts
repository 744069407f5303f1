import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultsOf } from '#test/fixtures/bring-over.ts'
import { importedContent } from '#test/fixtures/imported-content.ts'
import { skipMariaDb } from '#test/fixtures/mariadb.ts'
import { MENTION, uuid } from '#test/fixtures/old-content.ts'
import { PLAN } from '../../../importers/thinksns/plan.ts'

const soon = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 19).replace('T', ' ')

test('gives every imported table and import step a unique name', () => {
  const names = PLAN.map((part) => ('table' in part ? part.table : part.name))
  assert.equal(new Set(names).size, names.length)
})

describe('imports the content of a community', { skip: skipMariaDb }, async () => {
  const site = await importedContent('content')
  const { world } = site
  const { sql, guest, as } = world

  test('counts every row of a table as imported, merged or omitted', () => {
    for (const { table, rows, imported, merged, left_out } of site.first.totals)
      assert.equal(rows, imported + merged + left_out, table)
    assert.equal(site.first.of('plus_id_clients')?.left_out, 1)
    assert.equal(site.first.of('feeds')?.rows, 6)
  })

  test('imports feeds with text, pictures and counters', async () => {
    const { body } = await guest('GET', '/feeds/1')
    assert.equal(body.feed_content, MENTION)
    assert.deepEqual(
      body.images.map(({ file }: { file: number }) => file),
      [10, 11],
    )
    assert.equal(body.images[0].size, '100x80')
    assert.equal(body.feed_latitude, '30.5')
    assert.equal(body.like_count, 2)
    assert.equal(body.feed_comment_count, 2)
    assert.ok(body.feed_view_count >= 9)
    assert.equal(body.topics[0].name, 'Rivers')
    const feeds = (await guest('GET', '/feeds')).body.feeds
    assert.deepEqual(
      feeds.map(({ id }: { id: number }) => id),
      [6, 2, 1],
    )
    assert.equal(feeds[1].feed_content, null)
    assert.equal(feeds[1].like_count, 0)
    const [repost] = await sql`select repostable_type, repostable_id from feeds where id = 2`
    assert.deepEqual({ ...repost }, { repostable_type: 'news', repostable_id: 1 })
  })

  test('hides imported content that the source hid', async () => {
    assert.equal((await guest('GET', '/feeds/3')).status, 404)
    assert.equal((await guest('GET', '/feeds/4')).status, 404)
    assert.match(
      site.first.reasons('feeds', 4).join(),
      /never approved.*incomplete place|incomplete place.*never approved/s,
    )
    assert.match(site.first.reasons('feeds', 5).join(), /author no longer exists/)
    assert.match(site.first.reasons('feeds', 6).join(), /repost removed/)
  })

  test('appends the id to a duplicate topic name', async () => {
    const names = await sql`select id, name, creator_user_id, status from feed_topics order by id`
    assert.deepEqual(
      [...names],
      [
        { id: 1, name: 'Rivers', creator_user_id: 1, status: 'passed' },
        { id: 2, name: 'ＲＩＶＥＲＳ 2', creator_user_id: 1, status: 'waiting' },
      ],
    )
    assert.deepEqual(
      [...(await sql`select id, description from question_topics`)],
      [{ id: 1, description: 'of questions' }],
    )
    assert.deepEqual(
      [...(await sql`select index, feed_id from feed_topic_links order by index`)],
      [
        { index: 5, feed_id: 1 },
        { index: 8, feed_id: 2 },
      ],
    )
    const { body } = await guest('GET', '/feed/topics/1/participants')
    assert.deepEqual(
      body.map((person: number | { id: number }) => (typeof person === 'number' ? person : person.id)).sort(),
      [1, 2],
    )
  })

  test('imports long comments in full', async () => {
    const { body } = await guest('GET', '/feeds/1/comments')
    assert.deepEqual(
      body.comments.map(({ id, body: text }: { id: number; body: string }) => [id, text.length]),
      [
        [22, 8],
        [21, 300],
      ],
    )
    assert.match(site.first.reasons('comments', 23).join(), /the commented content no longer exists/)
    assert.match(site.first.reasons('comments', 24).join(), /author no longer exists/)
  })

  test('imports one like per user and liked content', async () => {
    assert.deepEqual(
      [...(await sql`select id, user_id, target_user from likes where likeable_id = 1 order by id`)],
      [
        { id: 31, user_id: 2, target_user: 1 },
        { id: 33, user_id: 3, target_user: 1 },
      ],
    )
    assert.deepEqual(site.first.reasons('likes', 32), ['duplicate'])
    assert.match(site.first.reasons('likes', 34).join(), /the liked content no longer exists/)
    assert.equal((await guest('GET', '/users/1')).body.extra.likes_count, 2)
  })

  test('imports each collection once', async () => {
    const rows =
      await sql`select collectible_type as kind, collectible_id as of, id from collections where user_id = 3 order by id`
    assert.deepEqual(
      [...rows],
      [
        { kind: 'feeds', of: 1, id: 41 },
        { kind: 'question-answers', of: 1, id: 51 },
        { kind: 'music_specials', of: 1, id: 61 },
        { kind: 'news', of: 1, id: 71 },
      ],
    )
  })

  test('imports settings from serialized PHP', async () => {
    const { body } = await guest('GET', '/bootstrappers')
    assert.equal(body.site.reward.status, false)
    assert.equal(body.site.reserved_nickname, '积分')
    const [ratio] = await sql`select value from settings where name = 'wallet:ratio'`
    assert.equal(ratio?.value, 200)
    assert.match(site.first.reasons('settings', 'user/vendor:qq').join(), /environment/)
    assert.match(site.first.reasons('common_configs', 'wallet/recharge-types').join(), /docs\/payments\.md/)
    assert.match(site.first.reasons('settings', 'feed/pay-word-limit').join(), /cannot be read/)
    assert.match(
      site.first.reasons('settings', 'checkin/attach-balance').join(),
      /does not support this value/,
    )
    assert.deepEqual(site.first.reasons('settings', 'news/contribute'), [])
  })

  test('imports notifications with their read state', async () => {
    const { body } = await as(site.ann, 'GET', '/user/notifications?type=comment')
    assert.deepEqual(
      body.data.map(({ data, read_at }: { data: { contents: string }; read_at: string | null }) => [
        data.contents,
        read_at !== null,
      ]),
      [
        ['b', false],
        ['你', true],
      ],
    )
    assert.equal(body.data[0].data.sender.name, 'Ben')
    const system = (await as(site.ann, 'GET', '/user/notifications?type=system')).body
    assert.equal(system.data[0].data.contents, 'an old sentence')
    assert.equal(system.data[1].data.type, 'reward:feeds')
    assert.equal((await as(site.ann, 'GET', '/user/notifications?type=follow')).body.data[0].data.id, 3)
    const counts = (await as(site.ann, 'GET', '/user/notification-statistics')).body
    assert.equal(counts.comment.badge, 1)
    assert.match(site.first.reasons('notifications', uuid(6)).join(), /unsupported type/)
  })

  test('applies changes of the source when the import is repeated', async () => {
    await site.source.add('comments', {
      id: 26,
      user_id: 3,
      target_user: 1,
      body: 'late',
      commentable_type: 'feeds',
      commentable_id: 1,
    })
    await site.source.add('reports', {
      id: 3,
      user_id: 3,
      target_user: 1,
      subject: 's',
      reportable_type: 'feeds',
      reportable_id: 1,
      status: 0,
    })
    await site.source.run('delete from likes where id in (31, 32)')
    await site.source.run('delete from comments where id = 22')
    await site.source.run(`update feeds set feed_content = 'changed' where id = 2`)
    await site.source.run(`update feeds set deleted_at = '2024-04-01' where id = 6`)
    await site.source.run(`update notifications set read_at = '${soon()}' where id = '${uuid(2)}'`)
    const second = await site.bring()
    for (const { table, rows, imported, merged, left_out } of second.totals)
      assert.equal(rows, imported + merged + left_out, table)
    const { body } = await guest('GET', '/feeds/1')
    assert.equal(body.like_count, 1)
    assert.equal(body.feed_comment_count, 2)
    assert.deepEqual(
      (await guest('GET', '/feeds')).body.feeds.map(
        ({ id, feed_content }: { id: number; feed_content: string }) => [id, feed_content],
      ),
      [
        [2, 'changed'],
        [1, MENTION],
      ],
    )
    assert.equal((await as(site.ann, 'GET', '/user/notification-statistics')).body.comment.badge, 0)
    assert.deepEqual(
      (await sql`select id from reports where reportable_type = 'feeds' and status = 0`).map(({ id }) => id),
      [3],
    )
    assert.deepEqual(await faultsOf(world), [])
  })

  test('changes nothing when a run reads all rows again', async () => {
    const rows =
      () => sql`select (select count(*) from comments) as comments, (select count(*) from likes) as likes,
      (select count(*) from collections) as collections, (select count(*) from notifications) as notifications,
      (select count(*) from group_members) as members, (select sum(feeds_count) from user_counts) as feeds`
    const before = await rows()
    await site.bring({ again: true })
    assert.deepEqual([...(await rows())], [...before])
    assert.deepEqual(await faultsOf(world), [])
  })
})
