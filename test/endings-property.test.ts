import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { addJob } from '#platform/jobs'
import { badgeFaults } from '#test/fixtures/badges.ts'
import { createDice } from '#test/fixtures/dice.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld, type Person } from '#test/world.ts'
import { diagnose } from '../src/doctor.ts'

const STEPS = Number(process.env.KITH_ENDINGS_STEPS ?? 150)
const SEED = Number(process.env.KITH_ENDINGS_SEED ?? randomInt(2 ** 31))

type State = 'enabled' | 'disabled' | 'erased'
type Member = Person & { state: State }
type Asking = { user: { id: number } }
type Item = { kind: string; id: number; path: string; group?: number }

const LIKES: Record<string, string> = { feed: 'like', news: 'likes', answer: 'likes', post: 'likes' }

test(`leaves no wrong badge or count after ${STEPS} random steps (seed ${SEED})`, async () => {
  const world = await createWorld()
  const { as, person, sql, work } = world
  const { roll, below, pick } = createDice(SEED)
  const { send: publish } = feedsOf(world)
  const { tryAsk } = questionsOf(world)
  const groups = groupMaker(world)

  const admin = await person({ roles: ['founder', 'owner'] })
  const category = await createCategory(world, admin)
  const members: Member[] = []
  const join = async () => {
    const made = await person()
    await moveFunds(sql, {
      currency: 'points',
      from: PLATFORM_ACCOUNTS.issuance,
      to: made.id,
      amount: 100_000,
      kind: 'adjustment',
      subject: { type: 'users', id: made.id },
    })
    members.push({ ...made, state: 'enabled' })
  }
  for (let n = 0; n < 8; n += 1) await join()

  const items: Item[] = []
  const gone: Item[] = []
  const comments: (Item & { by: Member })[] = []
  const open: number[] = []
  const done: Record<string, number> = {}

  const anyone = () => pick(members.filter(({ state }) => state === 'enabled'))
  const send = async (by: Person, ...[method, path, body]: [Parameters<typeof as>[1], string, object?]) => {
    const reply = await as(by, method, path, body)
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply
  }
  const mention = () => `See \u00AD@${anyone().name}\u00AD and \u00AD@${anyone().name}\u00AD`
  const add = (kind: string, id: number, path: string, more: { group?: number } = {}) =>
    void items.push({ kind, id, path, ...more })

  const makers: (() => Promise<void>)[] = [
    async () => {
      const { status, body } = await publish(anyone(), { feed_content: mention() })
      if (status === 201) add('feed', body.id, `/feeds/${body.id}`)
      else assert.equal(status, 403, JSON.stringify(body))
    },
    async () => {
      const id = await createNews(world, admin, anyone(), { category_id: category, title: 'An article' })
      add('news', id, `/news/${id}`)
    },
    async () => {
      const { status, body } = await tryAsk(anyone(), { body: mention() })
      if (status === 201) add('question', body.question.id, `/questions/${body.question.id}`)
      else assert.equal(status, 403, JSON.stringify(body))
    },
    async () => {
      const questions = items.filter(({ kind }) => kind === 'question')
      if (questions.length === 0) return
      const { status, body } = await send(anyone(), 'POST', `/questions/${pick(questions).id}/answers`, {
        body: mention(),
      })
      if (status === 201) add('answer', body.answer.id, `/question-answers/${body.answer.id}`)
    },
    async () => {
      if (open.length < 3) open.push(await groups.group(anyone()))
      const group = pick(open)
      const by = anyone()
      await send(by, 'PUT', `/currency-groups/${group}`)
      const { status, body } = await send(by, 'POST', `/groups/${group}/posts`, {
        ...{ title: 'A post', body: mention(), summary: 'x' },
      })
      if (status === 201) add('post', body.post.id, `/group-posts/${body.post.id}`, { group })
    },
  ]
  const withItem = (act: (item: Item) => Promise<unknown>) => async () => {
    if (items.length > 0) await act(pick(items))
  }
  const reactions: (() => Promise<unknown>)[] = [
    withItem(async ({ path }) => {
      const by = anyone()
      const { status, body } = await send(by, 'POST', `${path}/comments`, {
        body: mention(),
        ...(roll() < 0.4 ? { reply_user: anyone().id } : {}),
      })
      if (status === 201)
        comments.push({
          ...{ kind: 'comment', id: body.comment.id, path: `${path}/comments/${body.comment.id}` },
          by,
        })
    }),
    withItem(({ kind, path }) =>
      LIKES[kind] === undefined ? Promise.resolve() : send(anyone(), 'POST', `${path}/${LIKES[kind]}`),
    ),
    withItem(({ path }) => send(anyone(), 'POST', `${path}/collections`)),
    withItem(({ path }) => send(anyone(), 'POST', `${path}/new-rewards`, { amount: 1 + below(9) })),
    withItem(({ path }) => send(anyone(), 'POST', `${path}/currency-pinneds`, { amount: 10, day: 2 })),
    async () => send(anyone(), 'PUT', `/user/followings/${pick(members).id}`),
    async () => send(anyone(), 'PUT', `/user/followings/${pick(members).id}`),
    async () => send(anyone(), 'DELETE', `/user/followings/${pick(members).id}`),
    async () => send(anyone(), 'PUT', '/user/notifications/all'),
    async () => send(anyone(), 'PUT', '/user/privacy', { private: roll() < 0.6 }),
    async () => {
      const by = anyone()
      const { body } = await send(by, 'GET', '/user/follow-requests')
      if (body.length > 0)
        await send(by, roll() < 0.7 ? 'PUT' : 'DELETE', `/user/follow-requests/${pick<Asking>(body).user.id}`)
    },
    async () => send(anyone(), 'DELETE', `/user/followers/${pick(members).id}`),
    async () => {
      if (open.length > 0) await send(anyone(), 'PUT', `/currency-groups/${pick(open)}`)
    },
  ]
  const remove: Record<string, (item: Item) => string> = {
    feed: ({ id }) => `/admin/feeds/${id}`,
    news: ({ id }) => `/admin/news/${id}`,
    question: ({ id }) => `/admin/questions/${id}`,
    answer: ({ id }) => `/admin/question-answers/${id}`,
    post: ({ id }) => `/admin/group-posts/${id}`,
  }
  const take = <T>(list: T[]) => list.splice(below(list.length), 1)[0] as T
  const endings: Record<string, () => Promise<unknown>> = {
    async 'delete content'() {
      if (items.length === 0) return
      const item = take(items)
      if (item.kind === 'feed') gone.push(item)
      await send(admin, 'DELETE', remove[item.kind]!(item))
    },
    async 'restore a feed'() {
      if (gone.length === 0) return
      const item = take(gone)
      const { status } = await send(admin, 'PATCH', `/admin/feeds/${item.id}`, { deleted: false })
      if (status < 300) items.push(item)
    },
    async 'delete a comment'() {
      if (comments.length === 0) return
      const { by, path } = take(comments)
      if (by.state === 'enabled') await send(by, 'DELETE', path)
    },
    async 'close a group'() {
      if (open.length === 0) return
      await send(admin, 'DELETE', `/admin/groups/${take(open)}`)
    },
    async disable() {
      if (members.filter(({ state }) => state === 'enabled').length < 4) return
      const member = anyone()
      const { status } = await send(admin, 'PATCH', `/admin/users/${member.id}`, { disabled: true })
      if (status < 300) member.state = 'disabled'
    },
    async block() {
      await send(anyone(), 'POST', `/user/black/${anyone().id}`)
    },
    async unblock() {
      const by = anyone()
      const { body } = await send(by, 'GET', '/user/blacks')
      for (const { id } of body) await send(by, 'DELETE', `/user/black/${id}`)
    },
    async enable() {
      const disabled = members.filter(({ state }) => state === 'disabled')
      if (disabled.length === 0) return
      const member = pick(disabled)
      const { status } = await send(admin, 'PATCH', `/admin/users/${member.id}`, { disabled: false })
      if (status >= 300) return
      member.state = 'enabled'
      member.token = (await issueToken(sql, member.id)).access_token
    },
    async erase() {
      if (roll() < 0.7) return
      const living = members.filter(({ state }) => state !== 'erased')
      if (living.filter(({ state }) => state === 'enabled').length < 4) return
      const member = pick(living)
      await sql`insert into account_deletions (user_id, due_at) values (${member.id}, now()) on conflict do nothing`
      await addJob(sql, 'erase_account', { id: member.id })
      await work()
      member.state = 'erased'
      await join()
    },
  }

  /** Lists and searches show feeds of private accounts to their authors and followers only (relations-8). */
  async function assertPrivate(enabled: Member[], at: string) {
    const hidden = await sql<{ viewer: number; id: number }[]>`
      select u.id as viewer, f.id from feeds f join private_accounts p on p.user_id = f.user_id
      cross join unnest(${enabled.map(({ id }) => id)}::bigint[]) as u (id)
      where f.deleted_at is null and u.id <> f.user_id and not exists (
        select from user_follows w where w.user_id = u.id and w.target_id = f.user_id
      ) and not exists (select from withheld_follows w where w.user_id = u.id and w.target_id = f.user_id)`
    const byViewer = Map.groupBy(hidden, ({ viewer }) => viewer)
    for (const who of enabled) {
      const closed = new Set(byViewer.get(who.id)?.map(({ id }) => id))
      for (const query of ['type=new', 'type=hot', 'type=follow', 'search=See', 'type=users'])
        for (const { id } of (await send(who, 'GET', `/feeds?limit=100&${query}`)).body.feeds ?? [])
          assert.ok(!closed.has(id), `${at}: ${query} shows feed ${id} to user ${who.id}`)
      for (const id of [...closed].slice(0, 5))
        assert.equal(
          (await send(who, 'GET', `/feeds/${id}`)).status,
          404,
          `${at}: feed ${id}, user ${who.id}`,
        )
    }
  }

  for (let step = 1; step <= STEPS; step += 1) {
    const dice = roll()
    if (dice < 0.2) await pick(makers)()
    else if (dice < 0.8) await pick(reactions)()
    else {
      const name = pick(Object.keys(endings))
      await endings[name]!()
      done[name] = (done[name] ?? 0) + 1
    }
    if (roll() < 0.15) await work()
    if (step % 500 === 0 || step === STEPS) {
      await work()
      const lines: string[] = []
      const isWell = await diagnose(sql, { mend: false, print: (line) => void lines.push(line) })
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('✓')),
        [],
        `seed ${SEED}, step ${step}`,
      )
      assert.ok(isWell)
      const enabled = members.filter(({ state }) => state === 'enabled')
      assert.deepEqual(await badgeFaults(as, enabled), [], `seed ${SEED}, step ${step}`)
      await assertPrivate(enabled, `seed ${SEED}, step ${step}`)
    }
  }
  console.log(`seed ${SEED}: ${JSON.stringify(done)}, ${items.length} items, ${comments.length} comments`)
})
