import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { importedContent } from '#test/fixtures/imported-content.ts'
import { skipMariaDb } from '#test/fixtures/mariadb.ts'

describe('imports each kind of content', { skip: skipMariaDb }, async () => {
  const site = await importedContent('kinds')
  const { sql, guest } = site.world

  test('imports tags, sensitive words, areas and advertisements', async () => {
    assert.deepEqual(
      [...(await sql`select id, name, tag_category_id from tags order by id`)],
      [
        { id: 1, name: 'Music', tag_category_id: 1 },
        { id: 3, name: 'Lost', tag_category_id: 1 },
      ],
    )
    assert.deepEqual([...(await sql`select user_id, tag_id from user_tags`)], [{ user_id: 1, tag_id: 1 }])
    assert.equal((await sql`select from news_tags where news_id = 1 and tag_id = 3`).count, 1)
    assert.equal((await sql`select from group_tags where group_id = 1 and tag_id = 1`).count, 1)
    assert.deepEqual(
      [...(await sql`select word, type from sensitive_words`)],
      [{ word: 'Bad', type: 'warning' }],
    )
    assert.deepEqual(
      [...(await sql`select id, parent_id from areas order by id`)],
      [
        { id: 1, parent_id: null },
        { id: 2, parent_id: 1 },
      ],
    )
    assert.equal(site.first.of('advertising')?.imported, 1)
  })

  test('attaches each picture of an article to the article', async () => {
    const { body } = await guest('GET', '/news/1')
    assert.equal(body.image.id ?? body.image.file, 12)
    assert.equal(body.category.name, 'World')
    const uses =
      await sql`select id, channel from file_uses where raw = 1 and channel like 'news:%' order by id`
    assert.deepEqual(
      [...uses],
      [
        { id: 12, channel: 'news:image' },
        { id: 13, channel: 'news:content' },
      ],
    )
    const reasons = site.first.reasons('news', 2).join('|')
    for (const part of [/author no longer exists/, /category no longer exists/, /HTML converted to Markdown/])
      assert.match(reasons, part)
    assert.equal((await guest('GET', '/news/3')).status, 404)
    assert.deepEqual(
      [...(await sql`select user_id, category_id from news_subscriptions`)],
      [{ user_id: 1, category_id: 1 }],
    )
  })

  test('imports songs, singers and albums', async () => {
    const { body } = await guest('GET', '/music/1')
    assert.equal(body.title, 'Song')
    assert.ok(body.taste_count >= 7)
    assert.deepEqual(
      (await sql`select name from music_singers where id > 0 order by id`).map(({ name }) => name),
      ['Duo', 'ＤＵＯ 2'],
    )
    assert.match(site.first.reasons('musics', 2).join(), /singer no longer exists/)
    assert.equal(site.first.of('music_special_links')?.merged, 1)
  })

  test('imports questions with their answers', async () => {
    const { body } = await guest('GET', '/questions/1')
    assert.equal(body.answers_count, 2)
    assert.equal(body.watchers_count, 1)
    assert.deepEqual(
      [...(await sql`select id, body, adoption from answers order by id`)],
      [
        { id: 1, body: '', adoption: true },
        { id: 2, body: 'b', adoption: false },
      ],
    )
    assert.match(site.first.reasons('questions', 2).join(), /free/)
    const [people] = await sql`select income from question_people where user_id = 3`
    assert.equal(people?.income, 42)
  })

  test('imports groups with members and posts', async () => {
    assert.deepEqual(
      [
        ...(await sql`select user_id, role, audit, id from group_members where group_id = 1 order by user_id`),
      ],
      [
        { user_id: 1, role: 'founder', audit: 1, id: 1 },
        { user_id: 2, role: 'member', audit: 0, id: 2 },
        { user_id: 3, role: 'member', audit: 1, id: 3 },
      ],
    )
    const [paid] =
      await sql`select mode, category_id, (select role from group_members where group_id = 2) as role from groups where id = 2`
    assert.deepEqual({ ...paid }, { mode: 'private', category_id: 0, role: 'founder' })
    assert.deepEqual(
      [...(await sql`select post_id, file from group_post_images`)],
      [{ post_id: 1, file: 15 }],
    )
    assert.deepEqual(
      [...(await sql`select post_id, subject from group_reports`)],
      [{ post_id: 1, subject: 'in the group' }],
    )
    assert.match(site.first.reasons('groups', 1).join(), /incomplete place/)
  })

  test('imports certifications, check-ins, feedback and chat groups', async () => {
    const [paper] = await sql`select type, status, files, name from certifications`
    assert.deepEqual({ ...paper }, { type: 'org', status: 1, files: [14], name: '张' })
    assert.equal((await guest('GET', '/users/1')).body.verified.type, 'org')
    assert.equal((await guest('GET', '/files/14')).status, 404)
    assert.equal((await guest('GET', '/users/1')).body.extra.checkin_count, 1)
    assert.equal((await sql`select from feedback where id = 1 and user_id = 1`).count, 1)
    assert.equal((await sql`select from notices where id = 2 and user_ids is null`).count, 1)
    const [group] = await sql`select provider_id, owner_id, face_id from im_groups where id = 3`
    assert.deepEqual({ ...group }, { provider_id: '60001', owner_id: 1, face_id: 11 })
  })
})
