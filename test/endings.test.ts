import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { issueToken } from '#modules/tokens/index.ts'
import { addJob } from '#platform/jobs'
import { badgeFaults, PAGES } from '#test/fixtures/badges.ts'
import { createCast } from '#test/fixtures/notified.ts'
import { createSong, createSpecial } from '#test/fixtures/songs.ts'
import type { Person } from '#test/world.ts'
import { COUNTERS, SITE } from '../src/site.ts'

const {
  world,
  world: { person },
  sql,
  as,
  work,
  admin,
  anna,
  ben,
  cleo,
  dora,
  made,
  createGroup,
  join,
  memberId,
  promote,
  post,
  ask,
  answer,
  feed,
  news,
  mentioning,
  commentOf,
  pinOf,
  price,
} = await createCast()

const CAST = [admin, anna, ben, cleo, dora]
/** The accounts that are not disabled or erased. */
let people = CAST
type Kept = { type: string; id: number; path: string; group?: number; question?: number; on?: Kept }

/** Lists unread notifications that lead to nothing, and numbers that differ from their list. */
async function faults(): Promise<string[]> {
  const found = await badgeFaults(as, people)
  for (const check of COUNTERS)
    for (const { key, kept, counted } of await check.find(sql))
      found.push(`${check.name} ${key}: stored ${kept}, counted ${counted}`)
  return found
}

const readAll = async () => {
  for (const who of people) await as(who, 'PUT', '/user/notifications/all')
}

type Relation = { name: string; act(content: Kept): Promise<unknown> }
type Ending = { name: string; act(content: Kept): Promise<unknown> }
type Kind = {
  name: string
  make(text?: string): Promise<Kept>
  relations: Relation[]
  endings: Ending[]
}

const ok = async (by: Person, ...[method, path, body]: [Parameters<typeof as>[1], string, object?]) =>
  made(await as(by, method, path, body as never))

const liked = (path: string): Relation => ({
  name: 'like',
  act: (content) => ok(ben, 'POST', `${content.path}/${path}`),
})
const collected = (path: string): Relation => ({
  name: 'collection',
  act: (content) => ok(ben, 'POST', `${content.path}/${path}`),
})
const commented: Relation = { name: 'comment', act: (content) => commentOf(ben, content.path) }
const answered: Relation = {
  name: 'reply to a comment',
  async act(content) {
    await commentOf(ben, content.path)
    await ok(cleo, 'POST', `${content.path}/comments`, { body: 'Not so', reply_user: ben.id })
  },
}
const named: Relation = {
  name: 'mention in a comment',
  act: (content) => ok(ben, 'POST', `${content.path}/comments`, { body: mentioning(cleo.name, dora.name) }),
}
const rewarded: Relation = {
  name: 'reward',
  act: (content) => ok(ben, 'POST', `${content.path}/new-rewards`, { amount: 7 }),
}
const pinned = (channel: string, at: (content: Kept) => string): Relation[] =>
  (['accept', 'reject'] as const).map((action) => ({
    name: `pin (${action}ed)`,
    async act(content) {
      await ok(anna, 'POST', `${content.path}/currency-pinneds`, price)
      const pin = await pinOf(channel, content.id)
      await ok(admin, 'PATCH', `${at(content)}/${pin}`, { action })
    },
  }))
const commentPinned = (name: string): Relation[] => [
  {
    name: 'pin of a comment (pending)',
    async act({ path }) {
      const comment = await commentOf(ben, path)
      await ok(ben, 'POST', `${path}/comments/${comment}/currency-pinneds`, price)
    },
  },
  {
    name: 'pin of a comment (accepted)',
    async act({ path }) {
      const comment = await commentOf(ben, path)
      const url = `${path}/comments/${comment}/currency-pinneds`
      await ok(ben, 'POST', url, price)
      await ok(anna, 'PATCH', `${url}/${await pinOf(`${name}:comment`, comment)}`)
    },
  },
]
const reported: Relation = {
  name: 'report',
  act: (content) => ok(ben, 'POST', `${content.path}/reports`, { reason: 'Rude' }),
}
const mentioned: Relation = { name: 'mention', act: async () => undefined }
const TALK = [commented, answered, named]

const removedByReport: Ending = {
  name: 'removed by a report',
  async act({ path, type, id }) {
    await ok(dora, 'POST', `${path}/reports`, { reason: 'Rude' })
    const [report] = await sql<{ id: number }[]>`
      select id from reports where reportable_type = ${type} and reportable_id = ${id} order by id desc limit 1`
    await ok(admin, 'PATCH', `/admin/reports/${report!.id}`, { action: 'deal', remove: true })
  },
}
const deleted = (name: string, by: Person, url: (content: Kept) => string): Ending => ({
  name,
  async act(content) {
    await ok(by, 'DELETE', url(content))
    await work()
  },
})

const postIn = async (body = 'What it says', mode = 'public'): Promise<Kept> => {
  const group = await createGroup(dora, { mode })
  for (const each of [anna, ben, cleo]) await join(group, dora, each)
  const id = await post(anna, group, { body })
  await readAll()
  return { type: 'group-posts', id, path: `/group-posts/${id}`, group }
}
const answerTo = async (body = 'Half past ten'): Promise<Kept> => {
  const question = await ask(dora)
  const id = await answer(anna, question, { body })
  return { type: 'question-answers', id, path: `/question-answers/${id}`, question }
}

const rewardOf = async (author: Person, group: number) =>
  ok(ben, 'POST', `/group-posts/${await post(author, group)}/new-rewards`, { amount: 7 })

const KINDS: Kind[] = [
  {
    name: 'feed',
    async make(text = 'My feed') {
      const id = await feed(anna, { feed_content: text })
      return { type: 'feeds', id, path: `/feeds/${id}` }
    },
    relations: [
      ...TALK,
      liked('like'),
      collected('collections'),
      rewarded,
      ...pinned('feed', () => '/admin/feed-pinneds'),
      ...commentPinned('feed'),
      reported,
      mentioned,
    ],
    endings: [
      deleted('deleted by its author', anna, ({ id }) => `/feeds/${id}/currency`),
      deleted('deleted by a moderator', admin, ({ id }) => `/admin/feeds/${id}`),
      removedByReport,
    ],
  },
  {
    name: 'paid feed',
    async make() {
      const id = await feed(anna, { feed_content: '一'.repeat(60), amount: 30 })
      return { type: 'feeds', id, path: `/feeds/${id}` }
    },
    relations: [
      {
        name: 'purchase',
        async act({ id }) {
          const node = (await as(cleo, 'GET', `/feeds/${id}`)).body.paid_node
          await ok(ben, 'POST', `/purchases/${node}`)
        },
      },
    ],
    endings: [deleted('deleted by its author', anna, ({ id }) => `/feeds/${id}/currency`)],
  },
  {
    name: 'news',
    async make() {
      const id = await news(anna)
      await readAll()
      return { type: 'news', id, path: `/news/${id}` }
    },
    relations: [
      ...TALK,
      liked('likes'),
      collected('collections'),
      rewarded,
      ...pinned('news', () => '/admin/news-pinneds'),
      ...commentPinned('news'),
      reported,
    ],
    endings: [
      deleted('deleted by its author', anna, ({ id }) => `/news/posts/${id}`),
      deleted('deleted by a moderator', admin, ({ id }) => `/admin/news/${id}`),
      { name: 'recycled', act: ({ id }) => ok(admin, 'PATCH', `/admin/news/${id}`, { audit_status: 4 }) },
      removedByReport,
    ],
  },
  {
    name: 'question',
    async make(text = 'Well?') {
      const id = await ask(anna, { body: text })
      return { type: 'questions', id, path: `/questions/${id}` }
    },
    relations: [
      ...TALK,
      reported,
      mentioned,
      { name: 'answer', act: ({ id }) => answer(ben, id) },
      {
        name: 'mention in an answer',
        act: ({ id }) => answer(ben, id, { body: mentioning(cleo.name) }),
      },
      {
        name: 'like of an answer',
        act: async ({ id }) => ok(cleo, 'POST', `/question-answers/${await answer(ben, id)}/likes`),
      },
      {
        name: 'comment on an answer',
        act: async ({ id }) => commentOf(cleo, `/question-answers/${await answer(ben, id)}`),
      },
      {
        name: 'reward of an answer',
        act: async ({ id }) =>
          ok(cleo, 'POST', `/question-answers/${await answer(ben, id)}/new-rewards`, { amount: 7 }),
      },
    ],
    endings: [
      deleted('deleted by a moderator', admin, ({ id }) => `/admin/questions/${id}`),
      removedByReport,
    ],
  },
  {
    name: 'answer',
    make: answerTo,
    relations: [
      ...TALK,
      liked('likes'),
      {
        name: 'collection',
        act: ({ id }) => ok(ben, 'POST', `/user/question-answer/collections/${id}`),
      },
      rewarded,
      reported,
      mentioned,
    ],
    endings: [
      deleted('deleted by its author', anna, ({ id }) => `/question-answers/${id}`),
      deleted('deleted by a moderator', admin, ({ id }) => `/admin/question-answers/${id}`),
      deleted('deleted with its question', admin, ({ question }) => `/admin/questions/${question}`),
      removedByReport,
    ],
  },
  {
    name: 'group post',
    make: postIn,
    relations: [
      ...TALK,
      liked('likes'),
      collected('collections'),
      rewarded,
      ...(['accept', 'reject'] as const).map((verb) => ({
        name: `pin (${verb}ed)`,
        async act({ id }: Kept) {
          await ok(anna, 'POST', `/currency-pinned/posts/${id}`, price)
          await ok(dora, 'PATCH', `/currency-pinned/posts/${id}/${verb}`)
        },
      })),
      {
        name: 'pin of a comment (pending)',
        async act({ path }) {
          await ok(ben, 'POST', `/currency-pinned/comments/${await commentOf(ben, path)}`, price)
        },
      },
      {
        name: 'pin of a comment (accepted)',
        async act({ path }) {
          const comment = await commentOf(ben, path)
          await ok(ben, 'POST', `/currency-pinned/comments/${comment}`, price)
          await ok(anna, 'PATCH', `/currency-pinned/comments/${comment}/accept`)
        },
      },
      { name: 'report', act: ({ id }) => ok(ben, 'POST', `/reports/posts/${id}`, { content: 'Rude' }) },
      mentioned,
    ],
    endings: [
      deleted('deleted by its author', anna, ({ group, id }) => `/groups/${group}/posts/${id}`),
      deleted('deleted by a moderator', admin, ({ id }) => `/admin/group-posts/${id}`),
      deleted('deleted with its group', admin, ({ group }) => `/admin/groups/${group}`),
    ],
  },
  {
    name: 'post of a private group',
    make: (text) => postIn(text, 'private'),
    relations: [
      mentioned,
      named,
      {
        name: 'comment of the reader',
        async act({ path }) {
          await commentOf(cleo, path)
          await ok(ben, 'POST', `${path}/comments`, { body: 'Not so', reply_user: cleo.id })
        },
      },
      { name: 'reward of a post of the reader', act: ({ group }) => rewardOf(cleo, group!) },
    ],
    endings: [
      deleted('its reader leaves the group', cleo, ({ group }) => `/groups/${group}/exit`),
      {
        name: 'its reader is removed',
        act: async ({ group }) =>
          ok(dora, 'DELETE', `/groups/${group}/members/${await memberId(group!, cleo)}`),
      },
      {
        name: 'its reader is blacklisted',
        act: async ({ group }) =>
          ok(dora, 'PUT', `/groups/${group}/blacklist/${await memberId(group!, cleo)}`),
      },
    ],
  },
  {
    name: 'group',
    async make() {
      const id = await createGroup(anna, { mode: 'private' })
      await join(id, anna, cleo)
      await promote(id, anna, cleo)
      return { type: 'groups', id, path: `/groups/${id}` }
    },
    relations: [
      { name: 'request to join', act: ({ id }) => ok(ben, 'PUT', `/currency-groups/${id}`) },
      { name: 'membership', act: ({ id }) => join(id, anna, ben) },
      {
        name: 'rejected request to join',
        async act({ id }) {
          await ok(ben, 'PUT', `/currency-groups/${id}`)
          await ok(cleo, 'PATCH', `/groups/${id}/members/${await memberId(id, ben)}/audit`, { status: 2 })
        },
      },
      { name: 'report', act: ({ id }) => ok(ben, 'POST', `/groups/${id}/reports`, { reason: 'Rude' }) },
    ],
    endings: [deleted('closed by a moderator', admin, ({ id }) => `/admin/groups/${id}`)],
  },
  {
    name: 'song',
    async make() {
      const id = await createSong(world, admin)
      return { type: 'musics', id, path: `/music/${id}` }
    },
    relations: [...TALK, liked('like')],
    endings: [deleted('deleted by a moderator', admin, ({ id }) => `/admin/music/songs/${id}`)],
  },
  {
    name: 'album',
    async make() {
      const id = await createSpecial(world, admin)
      return { type: 'music_specials', id, path: `/music/specials/${id}` }
    },
    relations: [...TALK, collected('collection')],
    endings: [deleted('deleted by a moderator', admin, ({ id }) => `/admin/music/specials/${id}`)],
  },
]

/** A comment on each kind of content with comments. It is deleted itself, and the content stays. */
const COMMENTS: Kind[] = KINDS.filter(({ relations }) => relations.includes(commented)).map((kind) => ({
  name: `comment on a ${kind.name}`,
  async make() {
    const on = await kind.make()
    await readAll()
    const { body } = await ok(ben, 'POST', `${on.path}/comments`, {
      body: mentioning(cleo.name),
      reply_user: dora.id,
    })
    const { id } = body.comment
    return { type: 'comments', id, path: `${on.path}/comments/${id}`, on }
  },
  relations: [
    { name: 'its notifications', act: async () => undefined },
    ...(['feed', 'news'].includes(kind.name)
      ? [
          {
            name: 'pin (accepted)',
            async act({ id, path }: Kept) {
              await ok(ben, 'POST', `${path}/currency-pinneds`, price)
              const pin = await pinOf(`${kind.name}:comment`, id)
              await ok(anna, 'PATCH', `${path}/currency-pinneds/${pin}`)
            },
          },
        ]
      : []),
  ],
  endings: [deleted('deleted by its author', ben, ({ path }) => path)],
}))

type Pair = { author: Person; follower: Person }

/** A request to follow a private account, and what follows from it, with each way in which it ends (relations-9). */
const disabled =
  (whose: keyof Pair, isDisabled = true) =>
  async (pair: Pair) => {
    await ok(admin, 'PATCH', `/admin/users/${pair[whose].id}`, { disabled: isDisabled })
    await work()
    people = isDisabled ? people.filter((each) => each !== pair[whose]) : [...people, pair[whose]]
  }
const enabled = (whose: keyof Pair) => async (pair: Pair) => {
  await disabled(whose)(pair)
  await disabled(whose, false)(pair)
  pair[whose].token = (await issueToken(sql, pair[whose].id)).access_token
}
const erased = (whose: keyof Pair) => async (pair: Pair) => {
  await sql`insert into account_deletions (user_id, due_at) values (${pair[whose].id}, now())`
  await addJob(sql, 'erase_account', { id: pair[whose].id })
  people = people.filter((each) => each !== pair[whose])
  await work()
}
const follow = ({ author, follower }: Pair) => ok(follower, 'PUT', `/user/followings/${author.id}`)
async function befriend(pair: Pair) {
  await follow(pair)
  await ok(pair.author, 'PUT', `/user/follow-requests/${pair.follower.id}`)
}
const REQUESTS: Record<string, (pair: Pair) => Promise<unknown>> = {
  request: follow,
  'repeated request': async (pair) => {
    await follow(pair)
    await follow(pair)
  },
  'accepted request': befriend,
  'mention in a feed for followers': async (pair) => {
    await befriend(pair)
    await feed(pair.author, { feed_content: mentioning(pair.follower.name) })
  },
  'comments on a feed for followers': async (pair) => {
    await befriend(pair)
    const path = `/feeds/${await feed(pair.author, {})}`
    await commentOf(pair.follower, path)
    await ok(pair.author, 'POST', `${path}/comments`, { body: 'So', reply_user: pair.follower.id })
  },
  'request in return': async (pair) => {
    await ok(pair.follower, 'PUT', '/user/privacy', { private: true })
    await befriend(pair)
    await ok(pair.author, 'PUT', `/user/followings/${pair.follower.id}`)
  },
}
const REQUEST_ENDS: Record<string, (pair: Pair) => Promise<unknown>> = {
  'withdrawn by the follower': ({ author, follower }) =>
    as(follower, 'DELETE', `/user/followings/${author.id}`),
  'refused by the author': ({ author, follower }) =>
    as(author, 'DELETE', `/user/follow-requests/${follower.id}`),
  'removed by the author': ({ author, follower }) => as(author, 'DELETE', `/user/followers/${follower.id}`),
  'accepted by the author': ({ author, follower }) =>
    as(author, 'PUT', `/user/follow-requests/${follower.id}`),
  'blocked by the author': ({ author, follower }) => ok(author, 'POST', `/user/black/${follower.id}`),
  'blocked by the follower': ({ author, follower }) => ok(follower, 'POST', `/user/black/${author.id}`),
  'muted by the author': ({ author, follower }) => ok(author, 'PUT', `/user/mutes/${follower.id}`, {}),
  'author public again': ({ author }) => ok(author, 'PUT', '/user/privacy', { private: false }),
  'follows again after it is public': async (pair) => {
    await ok(pair.author, 'PUT', '/user/privacy', { private: false })
    await as(pair.follower, 'PUT', `/user/followings/${pair.author.id}`)
  },
  'author disabled': disabled('author'),
  'follower disabled': disabled('follower'),
  'author disabled and enabled': enabled('author'),
  'follower disabled and enabled': enabled('follower'),
  'author erased': erased('author'),
  'follower erased': erased('follower'),
}
const requestPairs = Object.entries(REQUESTS).flatMap(([name, act]) =>
  Object.entries(REQUEST_ENDS).map(([ending, end]) => ({ name, act, ending, end })),
)

describe('an ended request to follow leaves no badge and no wrong count', () => {
  for (const { name, act, ending, end } of requestPairs)
    test(`${name}, ${ending}`, async () => {
      const pair = { author: await person(), follower: await person() }
      people = [pair.author, pair.follower]
      await ok(pair.author, 'PUT', '/user/privacy', { private: true })
      await act(pair)
      assert.deepEqual(await faults(), [], 'before the end')
      await end(pair)
      await work()
      assert.deepEqual(await faults(), [])
    })
  after(() => {
    people = CAST
    console.log(`${requestPairs.length} pairs of request and end`)
  })
})

const pairs = [...KINDS, ...COMMENTS].flatMap(({ name, make, relations, endings }) =>
  endings.flatMap((ending) => relations.map((relation) => ({ name, make, relation, ending }))),
)

describe('deleted content leaves no badge and no wrong count', () => {
  for (const { name, make, relation, ending } of pairs)
    test(`${name} with ${relation.name}, ${ending.name}`, async () => {
      await readAll()
      const content = await make(relation === mentioned ? mentioning(cleo.name) : undefined)
      await relation.act(content)
      assert.deepEqual(await faults(), [], 'before the end')
      await ending.act(content)
      await work()
      assert.deepEqual(await faults(), [])
    })
  after(() => console.log(`${pairs.length} pairs of kind, relation and end`))
})

/** Accounts that end or part from each other, and come back, after all relations of a kind. */
const enable = async (who: Person) => {
  await ok(admin, 'PATCH', `/admin/users/${who.id}`, { disabled: false })
  who.token = (await issueToken(sql, who.id)).access_token
  people = CAST
}
const disable = async (who: Person) => {
  await ok(admin, 'PATCH', `/admin/users/${who.id}`, { disabled: true })
  people = CAST.filter((each) => each !== who)
}
const ACCOUNT_ENDS: { name: string; end(): Promise<unknown>; back(): Promise<unknown> }[] = [
  { name: 'the person who acted is disabled', end: () => disable(ben), back: () => enable(ben) },
  { name: 'the author is disabled', end: () => disable(anna), back: () => enable(anna) },
  {
    name: 'the author blocks the person who acted',
    end: () => ok(anna, 'POST', `/user/black/${ben.id}`),
    back: () => ok(anna, 'DELETE', `/user/black/${ben.id}`),
  },
  {
    name: 'the person who acted blocks the author',
    end: () => ok(ben, 'POST', `/user/black/${anna.id}`),
    back: () => ok(ben, 'DELETE', `/user/black/${anna.id}`),
  },
  {
    name: 'the author is private',
    end: () => ok(anna, 'PUT', '/user/privacy', { private: true }),
    back: () => ok(anna, 'PUT', '/user/privacy', { private: false }),
  },
]
const accountPairs = KINDS.reduce((sum, { relations }) => sum + relations.length, 0) * ACCOUNT_ENDS.length

describe('an ended account leaves no badge and no wrong count, and comes back', () => {
  for (const { name, make, relations } of KINDS)
    for (const { name: ending, end, back } of ACCOUNT_ENDS)
      test(`${name} with all its relations, ${ending}`, async () => {
        await readAll()
        for (const relation of relations)
          await relation.act(await make(relation === mentioned ? mentioning(cleo.name) : undefined))
        assert.deepEqual(await faults(), [], 'before the end')
        await end()
        await work()
        assert.deepEqual(await faults(), [])
        await back()
        await work()
        assert.deepEqual(await faults(), [], 'after the return')
      })
  after(() => console.log(`${accountPairs} pairs of kind, relation and account`))
})

test('declares the ending of every kind', () => {
  assert.ok(pairs.length > 150, `${pairs.length} pairs`)
  for (const { type } of SITE.kinds) assert.ok(PAGES[type], `no kind in this test for ${type}`)
})
