import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ANDROID } from '#test/clients/models/android.ts'
import { decode } from '#test/clients/models/decode.ts'
import { IOS } from '#test/clients/models/ios.ts'
import { seedForClients } from '#test/clients/seed.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, createTag, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, musicEditor } from '#test/fixtures/songs.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { multipart, newPicture, uploadFilm, uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest } = world
const { reader, writer, values } = await seedForClients(world)
const place = await seedGroupsAndAnswers()

/** Additional seed for the mobile clients. */
async function seedGroupsAndAnswers() {
  const call = async (who: Person, method: 'POST' | 'PUT', path: string, body?: object) => {
    const answer = await as(who, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const profile = { bio: 'Walks', location: 'Wuhan', avatar: await storePicture(world, writer) }
  assert.equal((await as(writer, 'PATCH', '/user', profile)).status, 204)
  await feedsOf(world).publish(reader, {
    feed_latitude: '30.5',
    feed_longtitude: '114.3',
    feed_geohash: 'wt3m',
    feed_mark: 990_001,
    repostable_type: 'news',
    repostable_id: values.news,
  })
  const groups = groupMaker(world)
  const group = await groups.group(reader, {
    avatar: await uploadPicture(world, reader),
    name: 'With a picture',
    allow_feed: 1,
    location: 'Wuhan',
    summary: 'We walk',
    notice: 'Sunday',
    longitude: '114.3',
    latitude: 30.5,
    geo_hash: 'wt3m',
  })
  await groups.join(group, reader, writer)
  const post = await groups.post(reader, group, { images: [await uploadPicture(world, reader)] })
  const { comment } = await call(writer, 'POST', `/group-posts/${post}/comments`, {
    body: 'A comment',
    reply_user: reader.id,
  })
  await call(writer, 'POST', `/group-posts/${post}/likes`)
  await call(writer, 'POST', `/group-posts/${post}/collections`)
  await call(writer, 'POST', `/group-posts/${post}/new-rewards`, { amount: 2 })
  await call(reader, 'PUT', `/group/posts/${post}/toggle-excellent`)
  await call(writer, 'POST', `/reports/posts/${post}`, { content: 'Look' })
  await call(writer, 'POST', `/reports/comments/${comment.id}`, { content: 'Look' })
  const questions = questionsOf(world)
  const question = await questions.ask(reader)
  const answer = await questions.answer(writer, question)
  await call(reader, 'POST', `/question-answers/${answer}/likes`)
  await call(reader, 'POST', `/question-answers/${answer}/new-rewards`, { amount: 2 })
  await call(reader, 'POST', `/user/question-answer/collections/${answer}`)
  await call(reader, 'POST', `/question-answers/${answer}/comments`, { body: 'A comment' })
  await call(reader, 'POST', `/news/${values.news}/comments`, { body: 'A comment' })
  await call(writer, 'POST', `/feeds/${values.own_feed}/like`)
  return { group, post, question, answer }
}

const { group, post, question, answer } = place
const { topic, feed, news, song } = values
const filled = await seedOptionalFields()

/** Fills the fields that are empty in most things. */
async function seedOptionalFields() {
  const { sql } = world
  const call = async (who: Person, method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => {
    const answer = await as(who, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const tag = await createTag(world)
  await call(reader, 'PUT', `/user/tags/${tag}`)
  await sql`update users set email = 'reader@example.org', phone = '13700000002' where id = ${reader.id}`
  const badge = { type: 'user', icon: 'http://127.0.0.1/badge.png', description: 'A walker' }
  await sql`update users set verified = ${sql.json(badge)} where id = ${reader.id}`
  const background = await multipart([['image', await newPicture()]])
  const { status } = await as(reader, 'POST', '/user/bg', background.payload, background.headers)
  assert.equal(status, 204)

  const feeds = feedsOf(world)
  const video = { video_id: await uploadFilm(world, writer), cover_id: await uploadPicture(world, writer) }
  const film = await feeds.publish(writer, { video, feed_mark: 990_002 })
  await feeds.publish(writer, { amount: 5, feed_mark: 990_003 })
  const logo = await storePicture(world, writer)
  const pictured = await topicsOf(world).createTopic(writer, { name: 'With a logo', logo })
  const { comment } = await call(reader, 'POST', `/feeds/${film}/comments`, {
    body: 'A marked comment',
    comment_mark: 990_004,
  })
  const pins = `/feeds/${film}/comments/${comment.id}/currency-pinneds`
  await call(reader, 'POST', pins, { amount: 5, day: 3 })
  const [pin] = await sql<[{ id: number }]>`
    select id from pins where channel = 'feed:comment' and target_id = ${comment.id}`
  await call(writer, 'PATCH', `${pins}/${pin.id}`)

  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const article = await createNews(world, editor, editor, {
    category_id: category,
    from: 'The paper',
    image: await uploadPicture(world, editor),
    tags: [tag],
  })
  await setSettings(world, { 'site:currency-unit': 'p' })

  const musician = await musicEditor(world)
  const body = { lyric: 'La la', amount: 5, paid_type: 'listen' }
  const paidSong = await createSong(world, musician, { body })

  const { body: reports } = await as(reader, 'GET', `/plus-group/reports?group_id=${group}`)
  await call(reader, 'PATCH', `/plus-group/reports/${reports[0].id}/reject`, { cause: 'It is fine' })
  await call(reader, 'PUT', `/group/groups/${group}/bind-im-group`, { id: '77' })

  const founder = await world.person({ roles: ['founder'] })
  const { body: spaces } = await guest('GET', '/advertisingspace')
  const space_id = spaces.find(({ space }: { space: string }) => space === 'boot').id
  const data = { image: 'http://127.0.0.1/a.png' }
  await call(founder, 'POST', '/admin/advertising', { space_id, title: 'A', type: 'image', data })

  const questions = questionsOf(world)
  const avatar = await storePicture(world, founder)
  const about = await call(founder, 'POST', '/admin/question-topics', { name: 'With a picture', avatar })
  await call(reader, 'PUT', `/user/question-topics/${about.id}`)
  const asked = await questions.askForLooks(reader, writer, { body: 'I lost my watch' })
  const viewed = await questions.answer(writer, asked)
  await call(reader, 'PUT', '/user/notifications/all')
  return { film, pictured, article, paidSong, asked, viewed }
}

/** Reply of each call, decoded by both clients. */
const CALLS: [request: string, model: string, who?: 'guest'][] = [
  ['/bootstrappers', 'Bootstrap', 'guest'],
  ['/user', 'User'],
  [`/users/${writer.id}`, 'User'],
  [`/users?id=${reader.id},${writer.id}`, '[User]'],
  ['/feeds?type=new', 'FeedPage'],
  ['/feeds?type=hot', 'FeedPage'],
  [`/feeds/${feed}`, 'Feed'],
  [`/feeds/${values.picture_feed}`, 'Feed'],
  [`/feeds/${values.paid_feed ?? feed}`, 'Feed'],
  [`/feeds/${feed}/comments`, 'CommentPage'],
  [`/feeds/${feed}/likes`, '[Like]'],
  [`/feeds/${feed}/rewards`, '[Reward]'],
  ['/feed/topics', '[Topic]'],
  [`/feed/topics/${topic}`, 'Topic'],
  [`/feed/topics/${topic}/feeds`, '[Feed]'],
  ['/news/cates', 'NewsCategories'],
  ['/news', '[Article]'],
  [`/news/${news}`, 'Article'],
  [`/news/${news}/comments`, 'CommentPage'],
  [`/news/${news}/likes`, '[Like]'],
  [`/news/${news}/rewards`, '[Reward]'],
  [`/news/${news}/rewards/sum`, 'RewardSum'],
  ['/plus-group/groups', '[Group]'],
  ['/plus-group/user-groups', '[Group]'],
  [`/plus-group/groups/${group}`, 'Group'],
  [`/plus-group/groups/${group}/members`, '[Member]'],
  [`/plus-group/groups/${group}/posts`, 'PostPage'],
  [`/plus-group/groups/${group}/posts/${post}`, 'Post'],
  ['/plus-group/group-posts', '[Post]'],
  ['/plus-group/user-group-posts', '[Post]'],
  [`/plus-group/group-posts/${post}/comments`, 'CommentPage'],
  [`/plus-group/group-posts/${post}/rewards`, '[Reward]'],
  [`/plus-group/reports?group_id=${group}`, '[GroupReport]'],
  ['/questions', '[Question]'],
  [`/questions/${question}`, 'Question'],
  [`/questions/${question}/answers`, '[Answer]'],
  [`/question-answers/${answer}`, 'Answer'],
  [`/question-answers/${answer}/comments`, '[Comment]'],
  [`/question-answers/${answer}/likes`, '[Like]'],
  [`/question-answers/${answer}/rewarders`, '[Reward]'],
  [`/feeds/${filled.film}`, 'Feed'],
  [`/feeds/${filled.film}/comments`, 'CommentPage'],
  [`/feed/topics/${filled.pictured}`, 'Topic'],
  [`/news/${filled.article}`, 'Article'],
  [`/music/${filled.paidSong}`, 'Song'],
  [`/questions/${filled.asked}`, 'Question'],
  [`/question-answers/${filled.viewed}`, 'Answer'],
  ['/user/tags', '[Tag]'],
  ['/question-topics?follow=1', '[QuestionTopic]'],
  ['/music/songs', '[SongItem]'],
  [`/music/${song}`, 'Song'],
  ['/user/notifications?type=comment', 'NotificationPage'],
  ['/user/notifications?type=like', 'NotificationPage'],
  ['/user/notifications?type=system', 'NotificationPage'],
]

/** Fields that no reply of these calls has, with the reason. */
const UNSEEN: Record<string, string> = {
  'User.tags': 'Tags of a person have a route of their own.',
  'Comment.comment_mark': 'The mark is read and not sent back.',
  'Feed.deleted_at': 'A deleted feed is 404.',
  'Feed.pinned': 'Feeds do not have it. Pinned ones are a list beside the others.',
  'Feed.pinned_amount': 'Feeds do not have it.',
  'Feed.excellent_at': 'Feeds do not have it.',
  'Group.join_at': 'Only the list of groups that wait to admit the reader has it.',
  'Post.pinned': 'Posts do not have it. Pinned ones are a list beside the others.',
  'PostImage.paid': 'Pictures of posts have no price.',
  'Question.answer': 'Only the list of excellent questions has it.',
  'Song.deleted_at': 'A deleted song is 404.',
}

for (const [client, rules, models] of [
  ['Android 2.2.0', 'gson', ANDROID],
  ['iOS 1.9.1', 'objectmapper', IOS],
] as const) {
  const seen = new Set<string>()
  describe(`decodes replies with the models of ${client} (conventions-30)`, () => {
    for (const [request, model, who] of CALLS)
      test(`GET ${request}`, async () => {
        const { status, body } = await (who === 'guest' ? guest('GET', request) : as(reader, 'GET', request))
        assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`)
        assert.deepEqual(decode(models, rules, `${model}!`, body, { seen }), [])
        assert.ok(!Array.isArray(body) || body.length > 0, 'the list is empty, so nothing was proven')
      })
    test('covers every field that the seed fills', () => {
      const declared = Object.entries(models).flatMap(([model, fields]) =>
        Object.keys(fields).map((field) => `${model}.${field}`),
      )
      assert.deepEqual(
        declared.filter((field) => !seen.has(field) && !UNSEEN[field]),
        [],
      )
      assert.deepEqual(
        Object.keys(UNSEEN).filter((field) => seen.has(field)),
        [],
      )
    })
  })
}

test('reports a missing field and values of another type', () => {
  const avatar = 'http://127.0.0.1/a.png'
  const group = { id: 1, name: 'A', avatar, users_count: 'many', allow_feed: true, joined: [] }
  const faults = decode(ANDROID, 'gson', 'Group', group)
  for (const fault of [
    'reply.avatar: string where Picture is read',
    'reply.users_count: string where int is read',
    'reply.allow_feed: boolean where int is read',
    'reply.joined: list where Membership is read',
    'reply.mode: undefined where text is read',
  ])
    assert.ok(faults.includes(fault), fault)
})
