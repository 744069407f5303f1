import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world

const resetCounters = async () => {
  for (const [table, columns] of [
    ['feeds', ['like_count', 'feed_comment_count']],
    ['news_counts', ['digg_count', 'comment_count']],
    ['music_special_counts', ['collect_count', 'comment_count']],
    ['questions', ['answers_count', 'watchers_count', 'comments_count']],
    ['answers', ['likes_count', 'comments_count']],
    ['question_people', ['likes_count']],
    ['question_topic_counts', ['questions_count', 'follows_count']],
    ['feed_topic_counts', ['feeds_count', 'followers_count']],
    ['group_posts', ['likes_count', 'comments_count', 'collections_count']],
    ['group_counts', ['users_count', 'posts_count', 'excellen_posts_count']],
    ['user_counts', ['followers_count', 'followings_count', 'likes_count', 'comments_count', 'feeds_count']],
  ] as const)
    for (const column of columns) await sql`update ${sql(table)} set ${sql(column)} = 0`
}

test('removes likes, comments, follows and memberships when a counter is already zero', async () => {
  const [ann, bob] = [await person(), await person()]
  const questions = questionsOf(world)
  const groups = groupMaker(world)
  const topic = (await as(ann, 'POST', '/feed/topics', { name: 'Drift', desc: 'Wood' })).body.id
  const feed = (
    await as(ann, 'POST', '/feeds', { feed_content: 'Wood', feed_from: 1, feed_mark: 1, topics: [topic] })
  ).body.id
  const editor = await newsEditor(world)
  const news = await createNews(world, editor, ann, { category_id: await createCategory(world, editor) })
  const album = await createSpecial(world, await musicEditor(world))
  const questionTopic = await questions.topic()
  const question = await questions.ask(ann, { topics: [{ id: questionTopic }] })
  const answer = await questions.answer(ann, question)
  const group = await groups.group(ann)
  const post = await groups.post(ann, group)

  const comments: string[] = []
  for (const place of [
    `/feeds/${feed}`,
    `/news/${news}`,
    `/music/specials/${album}`,
    `/questions/${question}`,
    `/question-answers/${answer}`,
    `/group-posts/${post}`,
  ]) {
    const { status, body } = await as(bob, 'POST', `${place}/comments`, { body: 'Driftwood' })
    assert.ok(status < 300, place)
    comments.push(`${place}/comments/${body.comment.id}`)
  }
  const taken: [by: typeof ann, undo: string][] = comments.map((path) => [bob, `DELETE ${path}`])
  for (const [by, make, undo] of [
    [bob, `PUT /user/followings/${ann.id}`, `DELETE /user/followings/${ann.id}`],
    [bob, `POST /feeds/${feed}/like`, `DELETE /feeds/${feed}/unlike`],
    [bob, `POST /news/${news}/likes`, `DELETE /news/${news}/likes`],
    [bob, `POST /music/specials/${album}/collection`, `DELETE /music/specials/${album}/collection`],
    [bob, `PUT /user/question-watches/${question}`, `DELETE /user/question-watches/${question}`],
    [bob, `POST /question-answers/${answer}/likes`, `DELETE /question-answers/${answer}/likes`],
    [bob, `PUT /user/question-topics/${questionTopic}`, `DELETE /user/question-topics/${questionTopic}`],
    [bob, `PUT /user/feed-topics/${topic}`, `DELETE /user/feed-topics/${topic}`],
    [bob, `POST /group-posts/${post}/likes`, `DELETE /group-posts/${post}/likes`],
    [bob, `POST /group-posts/${post}/collections`, `DELETE /group-posts/${post}/uncollect`],
    [bob, `PUT /currency-groups/${group}`, `DELETE /groups/${group}/exit`],
    [ann, `PUT /posts/${post}/toggle-excellent`, `PUT /posts/${post}/toggle-excellent`],
  ] as const) {
    const [method, path] = make.split(' ') as ['PUT', string]
    const { status, body } = await as(by, method, path)
    assert.ok(status < 300, `${make}: ${status} ${JSON.stringify(body)}`)
    taken.push([by, undo])
  }
  taken.push(
    [ann, `DELETE /groups/${group}/posts/${post}`],
    [ann, `DELETE /question-answers/${answer}`],
    [ann, `DELETE /questions/${question}`],
    [ann, `DELETE /feeds/${feed}/currency`],
  )
  const refused: string[] = []
  for (const [by, undo] of taken) {
    await resetCounters()
    const [method, path] = undo.split(' ') as ['PUT', string]
    const { status, body } = await as(by, method, path)
    if (status >= 300) refused.push(`${undo}: ${status} ${JSON.stringify(body)}`)
  }
  assert.deepEqual(refused, [])
})
