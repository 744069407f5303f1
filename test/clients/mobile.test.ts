import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seedForMobile } from '#test/clients/mobile-seed.ts'
import { ANDROID } from '#test/clients/models/android.ts'
import { decode } from '#test/clients/models/decode.ts'
import { IOS } from '#test/clients/models/ios.ts'
import { seedForClients } from '#test/clients/seed.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest } = world
const seed = await seedForClients(world)
const { reader, writer, values } = seed
const { group, post, question, answer, ...filled } = await seedForMobile(world, seed)
const { topic, feed, news, song } = values

/** A request, a POST where it has a body. */
type MobileCall = [path: string, model: string, more?: { as?: 'guest'; method?: 'PATCH'; body?: object }]

/** Calls of both clients with the model of the reply. */
const CALLS: MobileCall[] = [
  ['/bootstrappers', 'Bootstrap', { as: 'guest' }],
  [
    '/auth/login',
    'SignIn',
    { as: 'guest', body: { login: reader.name, password: values['reader.password'] } },
  ],
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
  [`/user/notifications/${filled.notification}`, 'Notification'],
  ['/user/notification-statistics', 'Statistics'],
  ['/user/counts', 'UserCounts'],
  ['/user/unread-count', 'UnreadOverview'],
  ['/user/comments', '[ReceivedComment]'],
  ['/user/likes', '[ReceivedLike]'],
  ['/conversations', '[Conversation]'],
  ['/walletRecharge/orders', 'RechargeOrder', { body: filled.order }],
  ['/currencyRecharge/orders', 'RechargeOrder', { body: filled.order }],
  ['/walletRecharge/checkOrders', 'RechargeState', { body: { out_trade_no: filled.wallet } }],
  ['/currencyRecharge/checkOrders', 'RechargeState', { body: { out_trade_no: filled.points } }],
  ['/currency', 'PointsSettings'],
  ['/ranks/followers', '[RankedUser]'],
  ['/ranks/balance', '[RankedUser]'],
  ['/ranks/income', '[RankedUser]'],
  ['/checkin-ranks', '[RankedUser]'],
  ['/feeds/ranks', '[RankedUser]'],
  ['/news/ranks', '[RankedUser]'],
  ['/question-ranks/answers', '[RankedUser]'],
  ['/question-ranks/likes', '[RankedUser]'],
  ['/user/checkin', 'CheckIn'],
  ['/user/certification', 'Certification'],
  ['/user/news/contributes', '[Article]'],
  ['/user/feed-comment-pinneds', '[FeedCommentPin]'],
  ['/news/pinneds', '[NewsPin]'],
  ['/news/comments/pinneds', '[NewsCommentPin]'],
  ['/plus-group/pinned/posts?group=0', '[GroupPin]'],
  ['/plus-group/pinned/comments?group=0&post=0', '[GroupPin]'],
  ['/plus-group/user-group-audit-members?group=0', '[JoinRequest]'],
  ['/feeds/average', 'FeedAverage'],
  ['/news/average', 'NewsAverage'],
  ['/plus-group/average', 'GroupAverage'],
  ['/around-amap?latitude=30.5&longitude=114.3', '[Nearby]'],
  ['/plus-appversion?type=android', '[AppVersion]', { as: 'guest' }],
  ['/tags', '[TagCategory]', { as: 'guest' }],
  [`/feeds/${values.own_feed}/comment-paid`, 'CommentPrice', { method: 'PATCH', body: { amount: 5 } }],
  ['/feeds', 'Published', { body: { feed_content: 'From a phone', feed_from: 4, feed_mark: 990_010 } }],
  [`/feeds/${feed}/comments`, 'Commented', { body: { body: 'From a phone' } }],
  [`/feeds/${feed}/new-rewards`, 'Message', { body: { amount: 2 } }],
  [`/feeds/${values.own_feed}/currency-pinneds`, 'Message', { body: { amount: 5, day: 3 } }],
  [`/currency/purchases/${values.paid_node}`, 'Message', { body: {} }],
]

type Reply = ReturnType<typeof guest>
const replies = new Map<MobileCall, Reply>()

/** Sends each call once, because most writes succeed only once. */
function replyTo(call: MobileCall): Reply {
  const [path, , { as: who, body } = {}] = call
  const method = methodOf(call)
  const reply =
    replies.get(call) ?? (who === 'guest' ? guest(method, path, body) : as(reader, method, path, body))
  replies.set(call, reply)
  return reply
}

const methodOf = ([, , { method, body } = {}]: MobileCall) => method ?? (body ? 'POST' : 'GET')

/** Fields that no reply of these calls has, with the reason. */
const UNSEEN: Record<string, string> = {
  'User.tags': 'Tags of a person have a route of their own.',
  'Comment.comment_mark': 'The mark is read and not sent back.',
  'Feed.deleted_at': 'A deleted feed is 404.',
  'Feed.pinned': 'Feeds do not have it. Pinned ones are a list beside the others.',
  'Feed.pinned_amount': 'Feeds do not have it.',
  'Feed.excellent_at': 'Feeds do not have it.',
  'Group.join_at': 'Only the list of groups that wait to admit the reader has it.',
  'NewsPin.expires_at': 'Only an administrator accepts pins of articles.',
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
    for (const call of CALLS) {
      const [path, model] = call
      test(`${methodOf(call)} ${path}`, async () => {
        const { status, body } = await replyTo(call)
        assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
        assert.deepEqual(decode(models, rules, `${model}!`, body, { seen }), [])
        assert.ok(!Array.isArray(body) || body.length > 0, 'the list is empty, so nothing was proven')
      })
    }
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
