import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { move, PLATFORM } from '#modules/ledger/index.ts'
import { RESOURCE_CODES } from '#modules/notifications/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { certify, createCategory, createNews, createTag, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, createSpecial } from '#test/fixtures/songs.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'

// Who is told of what (R §10.3): each row does in a world of people what causes a notification, and looks at everybody.

const world = await createWorld()
const { as, guest, person, sql, work } = world
const { group, memberId, join, post } = groupMaker(world)
const { ask, answer, askForLooks } = questionsOf(world)

const admin = await person({ roles: ['founder', 'owner'] })
// `anna` is whom it concerns, `ben` does it, `cleo` is spoken of, and `dora` founds circles.
const [anna, ben, cleo, dora] = [await person(), await person(), await person(), await person()]
const people = [admin, anna, ben, cleo, dora]
for (const { id } of people)
  for (const currency of ['points', 'wallet'] as const)
    await move(sql, {
      currency,
      from: PLATFORM.issuance,
      to: id,
      amount: 100_000,
      kind: 'adjustment',
      subject: { type: 'users', id },
    })
await certify(world, anna)
const category = await createCategory(world, admin)
const tag = await createTag(world)
const song = await createSong(world, admin)
const album = await createSpecial(world, admin)
const circle = await group(dora)
for (const each of [anna, ben, cleo]) await join(circle, dora, each)
await promote(circle, dora, cleo)
await setSettings(world, { 'feed:topic:need-review': true })

type Reference = { type: string; id: number }
type Told = { who: Person; type: string; data: Record<string, unknown> }
type Scene = { act: () => Promise<Answer>; told: Told[] }
type Row = {
  /** The trigger, as R §10.3 names it. */
  what: string
  scene(by: Person): Promise<Scene>
  /** The sender is the system, whoever decided for it: told in spite of a block, and no one's own doing. */
  site?: true
  /** Nobody can do this to themself. */
  notOneself?: true
}

async function promote(id: number, founder: Person, who: Person) {
  const path = `/groups/${id}/managers/${await memberId(id, who)}`
  assert.equal((await as(founder, 'PUT', path)).status, 201)
}

const SITE = { id: 0, name: 'Kith' }
const named = ({ id, name }: { id: number; name: string }) => ({ id, name })
const comment = (who: Person, by: Person, commentable: Reference, hasReply: boolean): Told => ({
  who,
  type: 'comment',
  data: { contents: 'Well said', sender: named(by), commentable, hasReply },
})
const like = (who: Person, by: Person, resource: Reference, contents: string): Told => ({
  who,
  type: 'like',
  data: { contents, sender: named(by), commentable: resource, resource },
})
const at = (who: Person, by: Person, resource: Reference, contents: string): Told => ({
  who,
  type: 'at',
  data: { contents, sender: named(by), commentable: resource, resource },
})
const system = (
  who: Person,
  by: { id: number; name: string },
  type: string,
  about: Reference,
  contents: string,
  more: object = {},
): Told => ({
  who,
  type: 'system',
  data: {
    type,
    contents,
    sender: named(by),
    commentable: about,
    resource: { type: RESOURCE_CODES[about.type as keyof typeof RESOURCE_CODES] ?? 0, id: about.id },
    ...more,
  },
})

let marks = 0
const next = () => {
  marks += 1
  return marks
}
const made = (reply: Answer): Answer => {
  assert.ok(reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`)
  return reply
}
const feed = async (by: Person, more: object = {}): Promise<number> => {
  const body = { feed_content: 'My feed', feed_from: 1, feed_mark: next(), ...more }
  return made(await as(by, 'POST', '/feeds', body)).body.id
}
const news = (by: Person) => createNews(world, admin, by, { category_id: category, title: 'My article' })
const say = (by: Person, path: string, more: object = {}) =>
  as(by, 'POST', `${path}/comments`, { body: 'Well said', ...more })
const commentOf = async (by: Person, path: string): Promise<number> =>
  made(await say(by, path)).body.comment.id
const mentioning = (...names: string[]) => `See ${names.map((name) => `\u00AD@${name}\u00AD`).join(' ')}!`
const idOf = async (table: 'comments' | 'feeds' | 'group_posts' | 'rewards' | 'pins') => {
  const [row] = await sql<{ id: number }[]>`select max(id) as id from ${sql(table)}`
  return row!.id
}
const price = { amount: 10, day: 2 }
const pinOf = async (channel: string, target: number) => {
  const [row] = await sql<{ id: number }[]>`
    select id from pins where channel = ${channel} and target_id = ${target} order by id desc limit 1`
  return row!.id
}
/** For what has its id only once it is done. */
const later = (told: () => Promise<Told[]>, act: () => Promise<Answer>): Scene => {
  const scene: Scene = {
    told: [],
    async act() {
      const reply = await act()
      if (reply.status < 300) scene.told.push(...(await told()))
      return reply
    },
  }
  return scene
}

type Content = { name: string; type: string; path: (id: number) => string; make(by: Person): Promise<number> }
const CONTENT: Content[] = [
  { name: 'feed', type: 'feeds', path: (id) => `/feeds/${id}`, make: feed },
  { name: 'news', type: 'news', path: (id) => `/news/${id}`, make: news },
  { name: 'question', type: 'questions', path: (id) => `/questions/${id}`, make: ask },
  {
    name: 'answer',
    type: 'question-answers',
    path: (id) => `/question-answers/${id}`,
    make: async (by) => answer(by, await ask(dora)),
  },
  {
    name: 'post',
    type: 'group-posts',
    path: (id) => `/group-posts/${id}`,
    make: (by) => post(by, circle),
  },
]
const MUSIC: Content[] = [
  { name: 'song', type: 'musics', path: (id) => `/music/${id}`, make: async () => song },
  { name: 'album', type: 'music_specials', path: (id) => `/music/specials/${id}`, make: async () => album },
]
const content = (name: string) => [...CONTENT, ...MUSIC].find((each) => each.name === name)!
const LIKED = [
  ['feed', 'like', 'My feed'],
  ['news', 'likes', 'My article'],
  ['answer', 'likes', 'Half past ten'],
  ['post', 'likes', 'A post'],
] as const

const rows: Row[] = [
  {
    what: 'follow a user',
    async scene(by) {
      await as(by, 'DELETE', `/user/followings/${anna.id}`)
      const data = {
        contents: '',
        sender: named(by),
        ...named(by),
        commentable: { type: 'users', id: anna.id },
      }
      return {
        act: () => as(by, 'PUT', `/user/followings/${anna.id}`),
        told: [{ who: anna, type: 'follow', data }],
      }
    },
  },
  ...CONTENT.flatMap(({ name, type, path, make }): Row[] => [
    {
      what: `comment on ${name}: author, and replied user`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => say(by, path(id), { reply_user: cleo.id }),
          told: [comment(anna, by, { type, id }, false), comment(cleo, by, { type, id }, true)],
        }
      },
    },
    {
      what: `comment on ${name} that replies to its author: one notification`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => say(by, path(id), { reply_user: anna.id }),
          told: [comment(anna, by, { type, id }, true)],
        }
      },
    },
  ]),
  ...MUSIC.map(
    ({ name, type, path, make }): Row => ({
      what: `comment on ${name}: replied user`,
      async scene(by) {
        const id = await make(by)
        return {
          act: () => say(by, path(id), { reply_user: anna.id }),
          told: [comment(anna, by, { type, id }, true)],
        }
      },
    }),
  ),
  ...LIKED.map(([name, verb, contents]): Row => {
    const { type, path, make } = content(name)
    return {
      what: `like of ${name}`,
      async scene(by) {
        const id = await make(anna)
        return {
          act: () => as(by, 'POST', `${path(id)}/${verb}`),
          told: [like(anna, by, { type, id }, contents)],
        }
      },
    }
  }),
  {
    what: 'mention in feed text, each once whatever the case',
    async scene(by) {
      const text = mentioning(anna.name, anna.name.toUpperCase(), cleo.name, 'nobody_of_this_name', '%')
      return later(
        async () => {
          const resource = { type: 'feeds', id: await idOf('feeds') }
          return [at(anna, by, resource, text), at(cleo, by, resource, text)]
        },
        () => as(by, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: `m${next()}` }),
      )
    },
  },
  {
    what: 'mention in the text of a post',
    async scene(by) {
      const text = mentioning(anna.name, cleo.name)
      return later(
        async () => {
          const resource = { type: 'group-posts', id: await idOf('group_posts') }
          return [at(anna, by, resource, text), at(cleo, by, resource, text)]
        },
        () => as(by, 'POST', `/groups/${circle}/posts`, { title: 'A post', body: text, summary: 'x' }),
      )
    },
  },
  ...[...CONTENT, content('song')].map(
    ({ name, type, path, make }): Row => ({
      what: `mention in a comment of ${name}; the author is told of the comment besides`,
      async scene(by) {
        const id = await make(dora)
        const text = mentioning(anna.name, cleo.name)
        return later(
          async () => {
            const resource = { type: 'comments', id: await idOf('comments') }
            const owner = comment(dora, by, { type, id }, false)
            return [
              at(anna, by, resource, text),
              at(cleo, by, resource, text),
              ...(name === 'song' ? [] : [{ ...owner, data: { ...owner.data, contents: text } }]),
            ]
          },
          () => say(by, path(id), { body: text }),
        )
      },
    }),
  ),
  {
    what: 'comment and mentions in a private circle: only who may read it',
    notOneself: true,
    async scene(by) {
      const id = await group(anna, { mode: 'private' })
      for (const each of [by, cleo]) await join(id, anna, each)
      const target = await post(anna, id)
      const text = mentioning(cleo.name, dora.name)
      return later(
        async () => {
          const resource = { type: 'comments', id: await idOf('comments') }
          const owner = comment(anna, by, { type: 'group-posts', id: target }, false)
          return [{ ...owner, data: { ...owner.data, contents: text } }, at(cleo, by, resource, text)]
        },
        () => say(by, `/group-posts/${target}`, { body: text, reply_user: dora.id }),
      )
    },
  },
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `feed pin audited: ${action}`,
      site: true,
      async scene(by) {
        const id = await feed(anna)
        made(await as(anna, 'POST', `/feeds/${id}/currency-pinneds`, price))
        const pin = await pinOf('feed', id)
        const state = action === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your post was ${action}ed.`
        return {
          act: () => as(by, 'PATCH', `/admin/feed-pinneds/${pin}`, { action }),
          told: [system(anna, SITE, 'pinned:feeds', { type: 'feeds', id }, text, { state, feed: { id } })],
        }
      },
    }),
  ),
  {
    what: 'feed pin set by admin',
    site: true,
    async scene(by) {
      const id = await feed(anna)
      const text = 'Your post was pinned by an administrator.'
      return {
        act: () => as(by, 'POST', '/admin/feed-pinneds', { feed: id, day: 2 }),
        told: [
          system(anna, SITE, 'pinned:feeds', { type: 'feeds', id }, text, { state: 'admin', feed: { id } }),
        ],
      }
    },
  },
  ...(['feed', 'news'] as const).flatMap((name): Row[] =>
    (['passed', 'rejected'] as const).map((state) => ({
      what: `${name} comment pin: ${state}`,
      notOneself: true,
      async scene(by) {
        const { type, path, make } = content(name)
        const id = await make(by)
        const target = await commentOf(anna, path(id))
        const url = `${path(id)}/comments/${target}/currency-pinneds`
        made(await as(anna, 'POST', url, price))
        const pin = await pinOf(`${name}:comment`, target)
        const text = `The request to pin your comment was ${state === 'passed' ? 'accepted' : 'rejected'}.`
        const more = { state, comment: { id: target, contents: 'Well said' }, [name]: { id } }
        const kind = `pinned:${name}/comment`
        assert.ok(type)
        return {
          act: () => {
            if (state === 'passed') return as(by, 'PATCH', `${url}/${pin}`)
            return name === 'feed'
              ? as(by, 'DELETE', `/user/feed-comment-currency-pinneds/${pin}`)
              : as(by, 'PATCH', `${url}/${pin}/reject`)
          },
          told: [system(anna, by, kind, { type: 'comments', id: target }, text, more)],
        }
      },
    })),
  ),
  {
    what: 'feed comment deleted by admin',
    site: true,
    async scene(by) {
      const id = await feed(cleo)
      const target = await commentOf(anna, `/feeds/${id}`)
      const more = { comment: { id: target, contents: 'Well said' } }
      const text = 'Your comment was deleted by an administrator.'
      return {
        act: () => as(by, 'DELETE', `/admin/feeds/${id}/comments/${target}`),
        told: [system(anna, SITE, 'delete:feed/comment', { type: 'feeds', id }, text, more)],
      }
    },
  },
  ...(
    [
      ['feed', 'reward:feeds', 'feed', 'Your post was given a reward.'],
      ['news', 'reward:news', 'news', 'Your article was given a reward.'],
      ['answer', 'qa:reward', 'answer', 'Your answer was given a reward.'],
      ['post', 'group:post-reward', 'post', 'Your post was given a reward.'],
    ] as const
  ).map(
    ([name, kind, param, text]): Row => ({
      what: `${name} rewarded`,
      async scene(by) {
        const { type, path, make } = content(name)
        const id = await make(anna)
        return {
          act: () => as(by, 'POST', `${path(id)}/new-rewards`, { amount: 7 }),
          told: [system(anna, by, kind, { type, id }, text, { amount: 7, [param]: { id } })],
        }
      },
    }),
  ),
  {
    what: 'user rewarded',
    async scene(by) {
      const more = { amount: 7, user: { id: anna.id } }
      return {
        act: () => as(by, 'POST', `/user/${anna.id}/new-rewards`, { amount: 7 }),
        told: [system(anna, by, 'reward', { type: 'users', id: anna.id }, 'You were given a reward.', more)],
      }
    },
  },
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `news pin audited: ${action}`,
      site: true,
      async scene(by) {
        const id = await news(anna)
        made(await as(anna, 'POST', `/news/${id}/currency-pinneds`, price))
        const pin = await pinOf('news', id)
        const state = action === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your article was ${action}ed.`
        const more = { state, news: { id } }
        return {
          act: () => as(by, 'PATCH', `/admin/news-pinneds/${pin}`, { action }),
          told: [system(anna, SITE, `news:pinned:${action}`, { type: 'news', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'news pin set',
    site: true,
    async scene(by) {
      const id = await news(anna)
      const text = 'The request to pin your article was accepted.'
      const more = { state: 'admin', news: { id } }
      return {
        act: () => as(by, 'POST', '/admin/news-pinneds', { news: id, day: 2 }),
        told: [system(anna, SITE, 'news:pinned:accept', { type: 'news', id }, text, more)],
      }
    },
  },
  ...(
    [
      [0, 'news:audit', 'Your article was published.'],
      [3, 'news:reject', 'Not for us'],
    ] as const
  ).map(
    ([audit_status, kind, text]): Row => ({
      what: `news audited: ${kind}`,
      site: true,
      async scene(by) {
        const draft = { title: 'My story', content: 'Once upon a time', tags: `${tag}` }
        const sent = await as(anna, 'POST', `/news/categories/${category}/currency-news`, draft)
        const { id } = made(sent).body
        const mark = audit_status === 0 ? {} : { mark: text }
        return {
          act: () => as(by, 'PATCH', `/admin/news/${id}`, { audit_status, ...mark }),
          told: [system(anna, SITE, kind, { type: 'news', id }, text, { news: { id, title: 'My story' } })],
        }
      },
    }),
  ),
  ...(['accept', 'reject'] as const).map(
    (action): Row => ({
      what: `news deletion application decided: ${action}`,
      site: true,
      async scene(by) {
        const id = await news(anna)
        made(await as(anna, 'DELETE', `/news/categories/${category}/news/${id}`))
        const { data } = (await as(by, 'GET', `/admin/news/deletions?sort=id&order=desc`)).body
        const text = `The request to delete your article was ${action}ed.`
        const more = { news: { id, title: 'My article' } }
        return {
          act: () => as(by, 'PATCH', `/admin/news/deletions/${data[0].id}`, { action }),
          told: [system(anna, SITE, `news:delete:${action}`, { type: 'news', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'paid node bought with wallet',
    async scene(by) {
      const id = await feed(anna, { feed_content: '一'.repeat(60), amount: 30 })
      const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
      const more = { amount: 30, channel: 'feed', raw: id }
      const text = 'Somebody paid for your content.'
      return {
        act: () => as(by, 'POST', `/purchases/${node}`),
        told: [system(anna, by, 'purchase', { type: 'feeds', id }, text, more)],
      }
    },
  },
  ...(['passed', 'failed'] as const).map(
    (status): Row => ({
      what: `topic reviewed: ${status}`,
      site: true,
      async scene(by) {
        const name = `Topic ${next()}`
        const { id } = made(await as(anna, 'POST', '/feed/topics', { name })).body
        const text = `Your topic was ${status === 'passed' ? 'accepted' : 'rejected'}.`
        const kind = `feed:topic:create:${status}`
        return {
          act: () => as(by, 'PUT', `/admin/feed-topics/${id}/review`, { status }),
          told: [system(anna, SITE, kind, { type: 'feed-topics', id }, text, { topic: { id, name } })],
        }
      },
    }),
  ),
  ...(['wallet', 'points'] as const).flatMap((currency) =>
    (['accept', 'reject'] as const).map(
      (action): Row => ({
        what: `${currency} withdrawal decided: ${action}`,
        site: true,
        async scene(by) {
          const wallet = currency === 'wallet'
          made(
            wallet
              ? await as(anna, 'POST', '/plus-pay/cashes', { value: 400, type: 'alipay', account: 'a@b.org' })
              : await as(anna, 'POST', '/currency/cash', { amount: 500 }),
          )
          const { data } = (await as(by, 'GET', `/admin/withdrawals?user=${anna.id}&order=desc`)).body
          const { id } = data[0]
          const state = action === 'accept' ? 'passed' : 'rejected'
          const text = `Your withdrawal${wallet ? '' : ' of points'} was ${action}ed.`
          const about = { type: wallet ? 'wallet-cashes' : 'currency-cashes', id }
          const more = { state, remark: 'so' }
          return {
            act: () => as(by, 'PATCH', `/admin/withdrawals/${id}`, { action, remark: 'so' }),
            told: [system(anna, SITE, wallet ? 'user-cash' : 'user-currency:cash', about, text, more)],
          }
        },
      }),
    ),
  ),
  ...(['pass', 'reject'] as const).map(
    (action): Row => ({
      what: `certification decided: ${action}; clients show the contents of a rejection as its reason`,
      site: true,
      async scene(by) {
        await sql`delete from certifications where user_id = ${anna.id}`
        const papers = { name: '安娜', phone: '13800138000', number: '1', desc: 'x' }
        const files = [await uploadPicture(world, anna)]
        made(await as(anna, 'POST', '/user/certification', { type: 'user', ...papers, files }))
        const { id } = (await as(anna, 'GET', '/user/certification')).body
        const state = action === 'pass' ? 'passed' : 'rejected'
        const text = action === 'pass' ? 'Your certification was accepted.' : 'Not to be read'
        const about = { type: 'certifications', id }
        const more = { state, certification: { id } }
        const body = action === 'pass' ? { desc: 'x' } : { reject_content: text }
        return {
          act: () => as(by, 'PATCH', `/admin/certifications/${id}/${action}`, body),
          told: [system(anna, SITE, 'user-certification', about, text, more)],
        }
      },
    }),
  ),
  ...(['deal', 'reject'] as const).map(
    (action): Row => ({
      what: `report handled: ${action}; nobody but the reporter is told`,
      site: true,
      async scene(by) {
        const id = await feed(cleo)
        made(await as(anna, 'POST', `/feeds/${id}/reports`, { reason: 'spam' }))
        const { data } = (await as(by, 'GET', '/admin/reports?sort=id&order=desc')).body
        const state = action === 'deal' ? 'passed' : 'rejected'
        const text = `Your report was ${action === 'deal' ? 'accepted' : 'rejected'}.`
        return {
          act: () => as(by, 'PATCH', `/admin/reports/${data[0].id}`, { action, mark: 'seen' }),
          told: [system(anna, SITE, 'report', { type: 'feeds', id }, text, { state, subject: 'My feed' })],
        }
      },
    }),
  ),
  // Questions and answers (R §19).
  ...[false, true].map(
    (anonymity): Row => ({
      what: `invited to answer${anonymity ? ' anonymously' : ''}`,
      async scene(by) {
        const fields = { anonymity, invitations: [{ user: anna.id }] }
        const topic = (await guest('GET', '/question-topics')).body[0].id
        const subject = `What is ${next()}?`
        return later(
          async () => {
            const [row] = await sql<{ id: number }[]>`select id from questions where subject = ${subject}`
            const { id } = row!
            const text = 'You were invited to answer a question.'
            const more = { question: { id, subject } }
            return [
              system(anna, anonymity ? SITE : by, 'qa:invitation', { type: 'questions', id }, text, more),
            ]
          },
          () => as(by, 'POST', '/questions', { subject, topics: [{ id: topic }], ...fields }),
        )
      },
    }),
  ),
  ...[false, true].map(
    (anonymity): Row => ({
      what: `question answered${anonymity ? ' anonymously' : ''}`,
      async scene(by) {
        const question = await ask(anna)
        return later(
          async () => {
            const [row] = await sql<{ id: number }[]>`
              select id from answers where question_id = ${question}`
            const { id } = row!
            const more = { question: { id: question, subject: 'What is the time?' }, answer: { id } }
            const about = { type: 'question-answers', id }
            const text = 'Your question was answered.'
            return [system(anna, anonymity ? SITE : by, 'question:answer', about, text, more)]
          },
          () => as(by, 'POST', `/questions/${question}/answers`, { body: 'Half past ten', anonymity }),
        )
      },
    }),
  ),
  ...[false, true].map(
    (anonymity): Row => ({
      what: `answer adopted${anonymity ? ' anonymously' : ''}`,
      async scene(by) {
        const question = await ask(by, { anonymity })
        const id = await answer(anna, question)
        const more = { question: { id: question, subject: 'What is the time?' }, answer: { id } }
        const about = { type: 'question-answers', id }
        const sender = anonymity ? SITE : by
        return {
          act: () => as(by, 'PUT', `/questions/${question}/adoptions/${id}`),
          told: [system(anna, sender, 'qa:answer-adoption', about, 'Your answer was adopted.', more)],
        }
      },
    }),
  ),
  {
    what: 'onlook: the asker, whose the fee is',
    async scene(by) {
      const question = await askForLooks(anna, cleo)
      const id = await answer(cleo, question)
      const subject = 'What is the time?'
      const more = { question: { id: question, subject }, answer: { id }, amount: 100 }
      const about = { type: 'question-answers', id }
      const text = 'Somebody paid to see an answer to your question.'
      return {
        act: () => as(by, 'POST', `/question-answers/${id}/onlookers`),
        told: [system(anna, by, 'qa:onlook', about, text, more)],
      }
    },
  },
  ...(['accept', 'reject'] as const).flatMap((action): Row[] => [
    {
      what: `question topic proposal decided: ${action}`,
      site: true,
      async scene(by) {
        const name = `Proposal ${next()}`
        const proposal = { name, description: 'So it is' }
        made(await as(anna, 'POST', '/user/question-topics/application', proposal))
        const list = '/admin/question-topic-applications?sort=id&order=desc'
        const { id } = (await as(by, 'GET', list)).body.data[0]
        const state = action === 'accept' ? 'passed' : 'rejected'
        return later(
          async () => {
            const [topic] = await sql<{ id: number }[]>`select id from question_topics where name = ${name}`
            const more = { state, topic_application: { id, name, mark: null } }
            const text = `The topic you proposed was ${action}ed.`
            const about = { type: 'question-topics', id: topic?.id ?? 0 }
            return [system(anna, SITE, `qa:question-topic:${action}`, about, text, more)]
          },
          () => as(by, 'PATCH', `/admin/question-topic-applications/${id}`, { action }),
        )
      },
    },
    {
      what: `excellence of a question decided: ${action}`,
      site: true,
      async scene(by) {
        const question = await ask(anna)
        made(await as(anna, 'POST', `/user/question-application/${question}`))
        const list = '/admin/question-applications?sort=id&order=desc'
        const { id } = (await as(by, 'GET', list)).body.data[0]
        const state = action === 'accept' ? 'passed' : 'rejected'
        const more = { state, question: { id: question, subject: 'What is the time?' } }
        const text =
          action === 'accept'
            ? 'Your question was made an excellent one.'
            : 'The request to make your question an excellent one was rejected.'
        const about = { type: 'questions', id: question }
        return {
          act: () => as(by, 'PATCH', `/admin/question-applications/${id}`, { action }),
          told: [system(anna, SITE, `qa:question-excellent:${action}`, about, text, more)],
        }
      },
    },
  ]),
  // Circles (R §20).
  ...(['public', 'private'] as const).map(
    (mode): Row => ({
      what: `join of a ${mode} circle: founder and administrators`,
      notOneself: true,
      async scene(by) {
        const id = await group(dora, { mode })
        for (const each of [anna, cleo]) await join(id, dora, each)
        await promote(id, dora, anna)
        const more = { group: { id, name: 'A circle' } }
        const text = 'Somebody joined your group or asks to.'
        return {
          act: () => as(by, 'PUT', `/currency-groups/${id}`),
          told: [anna, dora].map((who) => system(who, by, 'group:join', { type: 'groups', id }, text, more)),
        }
      },
    }),
  ),
  ...([1, 2] as const).map(
    (status): Row => ({
      what: `paid request to join decided: ${status === 1 ? 'accepted' : 'rejected'}`,
      notOneself: true,
      async scene(by) {
        const id = await group(by, { mode: 'paid', money: 5 })
        made(await as(anna, 'PUT', `/currency-groups/${id}`))
        const path = `/groups/${id}/members/${await memberId(id, anna)}/audit`
        const kind = `group:join:${status === 1 ? 'accept' : 'reject'}`
        const text =
          status === 1 ? 'You were accepted into the group.' : 'Your request to join the group was rejected.'
        const more = { group: { id, name: 'A circle' } }
        return {
          act: () => as(by, 'PATCH', path, { status }),
          told: [system(anna, by, kind, { type: 'groups', id }, text, more)],
        }
      },
    }),
  ),
  ...([1, 2] as const).map(
    (audit): Row => ({
      what: `circle audited: ${audit === 1 ? 'passed' : 'rejected'}`,
      site: true,
      async scene(by) {
        const id = await group(anna, {}, { passed: false })
        const state = audit === 1 ? 'passed' : 'rejected'
        const text = `Your group was ${audit === 1 ? 'accepted' : 'rejected'}.`
        const more = { state, group: { id, name: 'A circle' } }
        return {
          act: () => as(by, 'PATCH', `/admin/groups/${id}`, { audit }),
          told: [system(anna, SITE, 'group:audit', { type: 'groups', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'circle handed over',
    notOneself: true,
    async scene(by) {
      const id = await group(by)
      for (const each of [anna, cleo]) await join(id, by, each)
      const more = { group: { id, name: 'A circle' } }
      const text = 'A group was handed over to you.'
      return {
        act: () => as(by, 'PATCH', `/groups/${id}/owner`, { target: anna.id }),
        told: [system(anna, by, 'group:transfer', { type: 'groups', id }, text, more)],
      }
    },
  },
  ...(['accept', 'reject'] as const).map(
    (verb): Row => ({
      what: `post pin decided: ${verb}`,
      notOneself: true,
      async scene(by) {
        const circleId = await group(by)
        await join(circleId, by, anna)
        const id = await post(anna, circleId)
        made(await as(anna, 'POST', `/currency-pinned/posts/${id}`, price))
        const state = verb === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your post was ${verb}ed.`
        const more = { state, post: { id, title: 'A post' } }
        return {
          act: () => as(by, 'PATCH', `/currency-pinned/posts/${id}/${verb}`),
          told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
        }
      },
    }),
  ),
  {
    what: 'post pinned by a manager',
    async scene(by) {
      const circleId = await group(by)
      if (by !== anna) await join(circleId, by, anna)
      const id = await post(anna, circleId)
      const more = { state: 'admin', post: { id, title: 'A post' } }
      const text = 'Your post was pinned by a manager of the group.'
      return {
        act: () => as(by, 'POST', `/pinned/posts/${id}/create`, { day: 1 }),
        told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
      }
    },
  },
  {
    what: 'post of the founder pinned longer by an administrator',
    notOneself: true,
    async scene(by) {
      const circleId = await group(anna)
      await join(circleId, anna, by)
      await promote(circleId, anna, by)
      const id = await post(anna, circleId)
      made(await as(anna, 'POST', `/pinned/posts/${id}/create`, { day: 1 }))
      const more = { state: 'admin', post: { id, title: 'A post' } }
      const text = 'Your post was pinned by a manager of the group.'
      return {
        act: () => as(by, 'POST', `/pinned/posts/${id}/create`, { day: 1 }),
        told: [system(anna, by, 'group:post-pinned', { type: 'group-posts', id }, text, more)],
      }
    },
  },
  {
    what: 'comment pin of a post asked for: the author of the post',
    async scene(by) {
      const id = await post(anna, circle)
      const target = await commentOf(by, `/group-posts/${id}`)
      const text = 'Somebody asks to pin a comment on your post.'
      const about = { type: 'comments', id: target }
      return {
        act: () => as(by, 'POST', `/currency-pinned/comments/${target}`, price),
        told: [system(anna, by, 'group:send-comment-pinned', about, text, { post: { id } })],
      }
    },
  },
  ...(['accept', 'reject'] as const).map(
    (verb): Row => ({
      what: `comment pin of a post decided: ${verb}`,
      notOneself: true,
      async scene(by) {
        const id = await post(by, circle)
        const target = await commentOf(anna, `/group-posts/${id}`)
        made(await as(anna, 'POST', `/currency-pinned/comments/${target}`, price))
        const state = verb === 'accept' ? 'passed' : 'rejected'
        const text = `The request to pin your comment was ${verb}ed.`
        const more = { state, comment: { id: target, contents: 'Well said' }, post: { id } }
        const about = { type: 'comments', id: target }
        return {
          act: () => as(by, 'PATCH', `/currency-pinned/comments/${target}/${verb}`),
          told: [system(anna, by, 'group:comment-pinned', about, text, more)],
        }
      },
    }),
  ),
  ...(['post', 'comment'] as const).flatMap((kind): Row[] => {
    const reported = async (author: Person) => {
      const id = await post(author, circle)
      const target = kind === 'post' ? id : await commentOf(author, `/group-posts/${id}`)
      return { target, about: { type: kind === 'post' ? 'group-posts' : 'comments', id: target } }
    }
    const report = `group:report-${kind}`
    return [
      {
        what: `${kind} reported in a circle: its managers`,
        async scene(by) {
          const { target, about } = await reported(anna)
          const more = { group: { id: circle, name: 'A circle' } }
          return {
            act: () => as(by, 'POST', `/reports/${kind}s/${target}`, { content: 'Rude' }),
            told: [cleo, dora].map((who) => system(who, by, report, about, 'Rude', more)),
          }
        },
      },
      ...(['accept', 'reject'] as const).map(
        (verb): Row => ({
          what: `${kind} report in a circle handled: ${verb}; the reporter, and of an accepted one the author`,
          site: true,
          async scene() {
            const { target, about } = await reported(ben)
            made(await as(anna, 'POST', `/reports/${kind}s/${target}`, { content: 'Rude' }))
            const { id } = (await as(dora, 'GET', `/reports?group_id=${circle}&limit=1`)).body[0]
            const state = verb === 'accept' ? 'passed' : 'rejected'
            const text = `A report of a ${kind} in your group was ${verb}ed.`
            const more = { state, subject: kind === 'post' ? 'A post' : 'Well said' }
            return {
              act: () => as(dora, 'PATCH', `/reports/${id}/${verb}`),
              told: (verb === 'accept' ? [anna, ben] : [anna]).map((who) =>
                system(who, SITE, report, about, text, more),
              ),
            }
          },
        }),
      ),
    ]
  }),
  {
    what: 'notice of an administrator to some',
    site: true,
    async scene(by) {
      return later(
        async () => {
          const [row] = await sql<{ id: number }[]>`select max(id) as id from notices`
          const { id } = row!
          const about = { type: 'notices', id }
          return [anna, cleo].map((who) => system(who, SITE, 'notice', about, 'Hear', { notice: { id } }))
        },
        () => as(by, 'POST', '/admin/notices', { user_ids: [anna.id, cleo.id], contents: 'Hear' }),
      )
    },
  },
  // What nobody is told of (R §10.3, last sentence, and decisions §9).
  ...(
    [
      [
        'feed pin application',
        async (by) => as(by, 'POST', `/feeds/${await feed(by)}/currency-pinneds`, price),
      ],
      [
        'feed comment pin application',
        async (by) => {
          const id = await feed(anna)
          const target = await commentOf(by, `/feeds/${id}`)
          return () => as(by, 'POST', `/feeds/${id}/comments/${target}/currency-pinneds`, price)
        },
      ],
      [
        'topic follow',
        async (by) => {
          const name = `Topic ${next()}`
          const { id } = made(await as(anna, 'POST', '/feed/topics', { name })).body
          made(await as(admin, 'PUT', `/admin/feed-topics/${id}/review`, { status: 'passed' }))
          return () => as(by, 'PUT', `/user/feed-topics/${id}`)
        },
      ],
      [
        'feed collection',
        async (by) => {
          const id = await feed(anna)
          return () => as(by, 'POST', `/feeds/${id}/collections`)
        },
      ],
      [
        'points purchase',
        async (by) => {
          const id = await feed(anna, { feed_content: '一'.repeat(60), amount: 30 })
          const node = (await guest('GET', `/feeds/${id}`)).body.paid_node
          return () => as(by, 'POST', `/currency/purchases/${node}`)
        },
      ],
      [
        'repost',
        async (by) => {
          const id = await feed(anna)
          return async () => {
            await feed(by, { repostable_type: 'feeds', repostable_id: id })
            return { status: 201, body: null, headers: {} }
          }
        },
      ],
      [
        'deletion of a feed by a moderator',
        async () => {
          const id = await feed(anna)
          return () => as(admin, 'DELETE', `/admin/feeds/${id}`)
        },
      ],
      [
        'IM events',
        async (by) => () => as(by, 'POST', '/im/group', { groupname: 'x', desc: 'y', members: `${anna.id}` }),
      ],
      ['like of a song, which nobody owns', async (by) => () => as(by, 'POST', `/music/${song}/like`)],
      [
        'mention in a comment of an album',
        async (by) => () => say(by, `/music/specials/${album}`, { body: mentioning(anna.name) }),
      ],
      [
        'free request to join decided',
        async (by) => {
          const id = await group(by, { mode: 'private' })
          made(await as(anna, 'PUT', `/currency-groups/${id}`))
          const path = `/groups/${id}/members/${await memberId(id, anna)}/audit`
          return () => as(by, 'PATCH', path, { status: 1 })
        },
      ],
    ] as [string, (by: Person) => Promise<(() => Promise<Answer>) | Answer>][]
  ).map(
    ([what, prepare]): Row => ({
      what: `nobody: ${what}`,
      notOneself: true,
      async scene(by) {
        const act = await prepare(by)
        return { act: typeof act === 'function' ? act : async () => act, told: [] }
      },
    }),
  ),
]

const everything = () =>
  sql<{ id: string; user_id: number; type: string }[]>`select id, user_id, type from notifications`
const byPerson = (one: Told, other: Told) => one.who.id - other.who.id || one.type.localeCompare(other.type)

/** What came to whom since `before`, as they read it. */
async function toldSince(before: Set<string>): Promise<Told[]> {
  const told: Told[] = []
  for (const { id, user_id, type } of await everything()) {
    if (before.has(id)) continue
    const who = people.find((each) => each.id === user_id)
    assert.ok(who, `somebody else, ${user_id}, was told`)
    const { data } = (await as(who, 'GET', `/user/notifications?type=${type}`)).body
    const found = data.find((each: { id: string }) => each.id === id)
    assert.ok(found, 'what is new is on the first page')
    assert.equal(found.read_at, null)
    told.push({ who, type, data: found.data })
  }
  return told.sort(byPerson)
}

async function play({ act, told }: Scene): Promise<{ status: number; expected: Told[]; came: Told[] }> {
  const before = new Set((await everything()).map(({ id }) => id))
  const { status } = await act()
  return { status, expected: told.sort(byPerson), came: await toldSince(before) }
}

/** Does something while everybody concerned blocks this person. */
async function whileBlocked<T>({ id }: Person, work: () => Promise<T>): Promise<T> {
  const blockers = [anna, cleo, dora].map((each) => each.id)
  await sql`
    insert into user_blocks (user_id, target_id) select user_id, ${id} from unnest(${blockers}::bigint[]) as b (user_id)`
  try {
    return await work()
  } finally {
    await sql`delete from user_blocks where target_id = ${id}`
  }
}

describe('who is told of what, and nobody else', () => {
  for (const { what, scene, site, notOneself } of rows)
    test(what, async () => {
      const plain = await scene(site ? admin : ben)
      const { status, expected, came } = await (site ? whileBlocked(admin, () => play(plain)) : play(plain))
      assert.ok(status < 300, `${status}`)
      assert.deepEqual(came, expected)
      if (site || expected.length === 0) return

      const blocked = await scene(ben)
      const unheard = await whileBlocked(ben, () => play(blocked))
      assert.deepEqual(unheard.came, [], 'by somebody they block')

      if (notOneself) return
      const own = await play(await scene(anna))
      const others = own.status < 300 ? own.expected.filter(({ who }) => who !== anna) : []
      assert.deepEqual(own.came, others, 'of their own doing')
    })

  test('notice of an administrator to all', async () => {
    const before = await everything()
    const { id } = made(await as(admin, 'POST', '/admin/notices', { all: true, contents: 'Hear all' })).body
    await work()
    const known = new Set(before.map((each) => each.id))
    const told = (await everything()).filter((each) => !known.has(each.id))
    const everybody = await sql<{ id: number }[]>`select id from users where deleted_at is null`
    assert.deepEqual(
      told.map(({ user_id }) => user_id).sort((one, other) => one - other),
      everybody.map((each) => each.id).sort((one, other) => one - other),
    )
    const { first } = (await as(anna, 'GET', '/user/notification-statistics')).body.system
    assert.deepEqual(
      first.data,
      system(anna, SITE, 'notice', { type: 'notices', id }, 'Hear all', { notice: { id } }).data,
    )
  })
})
