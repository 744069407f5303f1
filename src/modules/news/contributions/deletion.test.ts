import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newsCounters } from '#modules/news/index.ts'
import { contributionWorld } from '#test/fixtures/contributions.ts'
import { createNews } from '#test/fixtures/news.ts'

const { world, as, guest, person, sql, editor, category, decide, told } = await contributionWorld()

describe('deletion of a published article', () => {
  test('lets an editor decide a deletion request once (news-16, news-22)', async () => {
    const [who, reader] = [await person(), await person()]
    const id = await createNews(world, editor, who, { category_id: category })
    const path = `/news/categories/${category}/news/${id}`
    assert.equal((await as(who, 'DELETE', path)).status, 201)
    assert.equal((await as(who, 'DELETE', path)).status, 201)
    const list = await as(editor, 'GET', `/admin/news/deletions?state=pending&user_id=${who.id}`)
    assert.equal(list.body.total, 1)
    const request = list.body.data[0].id
    const settle = (action: string, at = request) =>
      as(editor, 'PATCH', `/admin/news/deletions/${at}`, { action, mark: 'because' })
    assert.equal((await settle('maybe')).status, 422)
    assert.equal((await settle('reject')).status, 204)
    assert.equal((await settle('accept')).status, 403)
    assert.ok((await told(who)).includes('news:delete:reject'))
    assert.equal((await guest('GET', `/news/${id}`)).status, 200)
    await as(reader, 'POST', `/news/${id}/comments`, { body: 'x' })
    await as(reader, 'POST', `/news/${id}/likes`)
    await as(reader, 'POST', `/news/${id}/collections`)
    await as(who, 'DELETE', path)
    const again = (await as(editor, 'GET', `/admin/news/deletions?state=pending&user_id=${who.id}`)).body
    const racing = await Promise.all([1, 2, 3].map(() => settle('accept', again.data[0].id)))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [204, 403, 403])
    assert.equal((await guest('GET', `/news/${id}`)).status, 404)
    assert.deepEqual(
      (await told(who)).filter((type) => type.startsWith('news:delete')),
      ['news:delete:accept'],
    )
    const [left] = await sql`
      select (select count(*) from comments where commentable_type = 'news' and commentable_id = ${id}) as comments,
        (select count(*) from likes where likeable_type = 'news' and likeable_id = ${id}) as likes,
        (select count(*) from collections where collectible_type = 'news' and collectible_id = ${id}) as collections,
        (select comments_count from user_counts where user_id = ${reader.id}) as written`
    assert.deepEqual(left, { comments: 0, likes: 0, collections: 0, written: 0 })
    for (const check of newsCounters) assert.deepEqual(await check.find(sql), [], check.name)
    assert.equal((await settle('accept', 999_999_999)).status, 404)
  })

  test('deletes an article without a deletion request under /news/posts (news-17)', async () => {
    const [who, other, moderator] = [await person(), await person(), await person()]
    await sql`
      with role as (insert into roles (name) values ('news moderator') returning id),
      given as (insert into role_abilities (role_id, ability) select id, '[News] Delete News Post' from role)
      insert into user_roles (user_id, role_id) select ${moderator.id}, id from role`
    const [one, two] = [
      await createNews(world, editor, who, { category_id: category }),
      await createNews(world, editor, who, { category_id: category }),
    ]
    assert.equal((await as(other, 'DELETE', `/news/posts/${one}`)).status, 403)
    assert.equal((await as(moderator, 'DELETE', `/news/posts/${one}`)).status, 204)
    assert.equal((await as(who, 'DELETE', `/news/posts/${two}`)).status, 204)
    assert.equal((await as(who, 'DELETE', `/news/posts/${two}`)).status, 404)
    const taken = await createNews(world, editor, who, { category_id: category })
    await decide(taken, { audit_status: 4 })
    assert.equal((await as(who, 'DELETE', `/news/posts/${taken}`)).status, 404)
    assert.equal((await as(moderator, 'DELETE', `/news/posts/${taken}`)).status, 204)
  })

  test("deletes unread notifications of a deleted article's comments and likes", async () => {
    const [who, reader, named] = [await person(), await person(), await person()]
    const id = await createNews(world, editor, who, { category_id: category })
    await as(reader, 'POST', `/news/${id}/likes`)
    await as(reader, 'POST', `/news/${id}/comments`, { body: `\u00AD@${named.name}\u00AD look` })
    await as(who, 'POST', `/news/${id}/comments`, { body: 'indeed', reply_user: reader.id })
    const unread = async () =>
      (
        await sql`select user_id, type from notifications
          where user_id = any(${[who.id, reader.id, named.id]}) and type <> 'system'`
      ).length
    assert.equal(await unread(), 4)
    assert.equal((await as(who, 'DELETE', `/news/posts/${id}`)).status, 204)
    assert.equal(await unread(), 0)
    const { body } = await as(who, 'GET', '/user/notification-statistics')
    assert.deepEqual([body.comment.badge, body.like.badge], [0, 0])
  })
})
