/**
 * Who may do and read what of points, wallet, pins, purchases and rewards: every operation against a guest, a stranger,
 * who asked and paid, whom it concerns (author, publisher, founder of the circle), a moderator with every ability of
 * the administration except the one that opens the operation, and an administrator with that ability alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ABILITIES } from '#modules/abilities/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const circles = groupMaker(world)
await setSettings(world, {
  'wallet:cash': true,
  'wallet:recharge': true,
  'wallet:transform-currency': true,
  'currency:cash': true,
  'currency:recharge': true,
})

/** Somebody with exactly these abilities and 100,000 of both currencies. */
async function equipped(abilities: string[] = []): Promise<Person> {
  const made = await person()
  await sql`
    with role as (insert into roles (name) values (${`role ${made.id}`}) returning id),
    given as (insert into role_abilities (role_id, ability) select id, unnest(${abilities}::text[]) from role)
    insert into user_roles (user_id, role_id) select ${made.id}, id from role`
  for (const area of ['points', 'wallet'])
    await expect(
      201,
      as(treasurer, 'POST', `/admin/users/${made.id}/${area}`, { amount: 100_000, reason: 'x' }),
    )
  return made
}
async function expect(status: number, answer: ReturnType<typeof as>) {
  const found = await answer
  assert.equal(found.status, status, JSON.stringify(found.body))
  return found.body
}

const treasurer = await person({ roles: ['founder'] })
const [stranger, applicant, author] = [await equipped(), await equipped(), await equipped()]
const editor = await newsEditor(world)
const category = await createCategory(world, editor)
const price = { amount: 5, day: 1 }
let mark = 0

const feedOf = async (who: Person, body: object = {}): Promise<number> => {
  mark += 1
  const feed = { feed_content: 'x', feed_from: 1, feed_mark: mark, ...body }
  return (await expect(201, as(who, 'POST', '/feeds', feed))).id
}
const commentOn = async (path: string, who = applicant): Promise<number> =>
  (await expect(201, as(who, 'POST', `${path}/comments`, { body: 'x' }))).comment.id
const pinOf = async (channel: string, target: number): Promise<number> => {
  const [row] = await sql<{ id: number }[]>`
    select id from pins where channel = ${channel} and target_id = ${target} order by id desc limit 1`
  assert.ok(row)
  return row.id
}
const lastOf = async (table: string, who: Person): Promise<number> => {
  const [row] = await sql<{ id: number }[]>`
    select id from ${sql(table)} where owner_id = ${who.id} order by id desc limit 1`
  assert.ok(row)
  return row.id
}

/** A feed and an article with a comment that asks to be pinned, one that is pinned, and one that is neither. */
async function commented(path: string, channel: string) {
  const ask = (comment: number) => `${path}/comments/${comment}/currency-pinneds`
  const [plain, waiting, pinned] = [await commentOn(path), await commentOn(path), await commentOn(path)]
  for (const comment of [waiting, pinned]) await expect(201, as(applicant, 'POST', ask(comment), price))
  const pin = await pinOf(channel, waiting)
  const accepted = await pinOf(channel, pinned)
  await expect(201, as(author, 'PATCH', `${ask(pinned)}/${accepted}`))
  return {
    path,
    plain: ask(plain),
    waiting: `${ask(waiting)}/${pin}`,
    pin,
    pinned: `${path}/comments/${pinned}`,
  }
}

async function feedScene() {
  const feed = await feedOf(author)
  const other = await feedOf(author)
  await expect(201, as(author, 'POST', `/feeds/${other}/currency-pinneds`, price))
  return { ...(await commented(`/feeds/${feed}`, 'feed:comment')), feed, asked: await pinOf('feed', other) }
}

async function newsScene() {
  const publish = () => createNews(world, editor, author, { category_id: category })
  const [news, other] = [await publish(), await publish()]
  await expect(201, as(author, 'POST', `/news/${other}/currency-pinneds`, price))
  return { ...(await commented(`/news/${news}`, 'news:comment')), news, asked: await pinOf('news', other) }
}

let circle: Promise<number> | undefined
/** Posts of the applicant in a circle of the author. */
async function circleScene() {
  circle ??= circles.group(author).then(async (id) => {
    await circles.join(id, author, applicant)
    return id
  })
  const group = await circle
  const [plain, waiting] = [await circles.post(applicant, group), await circles.post(applicant, group)]
  await expect(201, as(applicant, 'POST', `/currency-pinned/posts/${waiting}`, price))
  const below = await circles.post(author, group)
  const comments = [await commentOn(`/group-posts/${below}`), await commentOn(`/group-posts/${below}`)]
  await expect(201, as(applicant, 'POST', `/currency-pinned/comments/${comments[1]}`, price))
  await expect(201, as(author, 'POST', `/pinned/posts/${below}/create`, { day: 1 }))
  return { plain, waiting, pinned: below, comment: comments[0], waitingComment: comments[1] }
}

async function saleScene() {
  const feed = await feedOf(author, { amount: 3 })
  const [row] = await sql<[{ id: number }]>`
    select id from paid_nodes where channel = 'feed' and raw = ${feed}`
  return { feed, node: row.id }
}

/** A feed that the applicant bought, and what the applicant asked of the administration. */
async function walletScene() {
  const { feed, node } = await saleScene()
  await expect(201, as(applicant, 'POST', `/currency/purchases/${node}`))
  const points = await lastOrder(applicant, 'points')
  await expect(201, as(applicant, 'POST', '/plus-pay/transfer', { user: author.id, amount: 1 }))
  const wallet = await lastOrder(applicant, 'wallet')
  const cash = { value: 100, type: 'alipay', account: 'somewhere' }
  await expect(201, as(applicant, 'POST', '/plus-pay/cashes', cash))
  await expect(201, as(applicant, 'POST', '/plus-pay/recharge', { type: 'manual', amount: 100 }))
  return {
    feed,
    points,
    wallet,
    withdrawal: await lastOf('withdrawals', applicant),
    recharge: await lastOf('recharges', applicant),
  }
}
async function lastOrder(who: Person, currency: string): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    select max(id) as id from ledger_postings where owner_id = ${who.id} and currency = ${currency}`
  return row.id
}

type Call = [method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object]
/** Statuses for guest, stranger, applicant, author, moderator, administrator. */
type Row<S> = [what: string, call: (scene: S, who: Person) => Call, statuses: number[], ability?: string]

const everybody = (status: number) => [401, status, status, status, status, status]
const nobodyBut = (status: number) => [401, 403, 403, 403, 403, status]

const abilities = Object.keys(ABILITIES)
const managers = new Map<string, { moderator: Person; admin: Person }>()
async function managersOf(ability: string) {
  const known = managers.get(ability)
  if (known) return known
  const made = {
    moderator: await equipped(abilities.filter((name) => name !== ability)),
    admin: await equipped([ability]),
  }
  managers.set(ability, made)
  return made
}

function matrix<S>(title: string, set: () => Promise<S>, rows: Row<S>[]) {
  test(title, async () => {
    const wrong: string[] = []
    // What somebody was allowed to do is not there to be done by the next.
    let scene: S | undefined
    for (const [what, call, expected, ability = '[feed] Delete Feed'] of rows) {
      const { moderator, admin } = await managersOf(ability)
      const found: number[] = []
      for (const who of [null, stranger, applicant, author, moderator, admin]) {
        scene ??= await set()
        const [method, path, body] = call(scene, who ?? stranger)
        const answer = who ? await as(who, method, path, body) : await guest(method, path, body)
        found.push(answer.status)
        if (method !== 'GET' && answer.status < 300) scene = undefined
      }
      if (found.join() !== expected.join())
        wrong.push(`${what}: ${found.join()} instead of ${expected.join()}`)
    }
    assert.deepEqual(wrong, [])
  })
}

const toFeeds = 'admin: feed pinneds'
matrix('who may ask for, decide, end and see pins of feeds and their comments', feedScene, [
  ['ask for a feed', (s) => ['POST', `${s.path}/currency-pinneds`, price], [401, 403, 403, 201, 403, 403]],
  ['ask for a comment', (s) => ['POST', s.plain, price], [401, 403, 201, 403, 403, 403]],
  ['accept a comment', (s) => ['PATCH', s.waiting], [401, 403, 403, 201, 403, 403]],
  [
    'reject a comment',
    (s) => ['DELETE', `/user/feed-comment-currency-pinneds/${s.pin}`],
    [401, 422, 422, 204, 422, 422],
  ],
  ['end a comment', (s) => ['DELETE', `${s.pinned}/unpinned`], [401, 403, 403, 204, 403, 403]],
  ['what is asked of me', () => ['GET', '/user/feed-comment-pinneds'], everybody(200)],
  ['the price', () => ['GET', '/feeds/average'], everybody(200)],
  ['list all', () => ['GET', '/admin/feed-pinneds'], nobodyBut(200), toFeeds],
  ['read one', (s) => ['GET', `/admin/feed-pinneds/${s.asked}`], nobodyBut(200), toFeeds],
  [
    'accept',
    (s) => ['PATCH', `/admin/feed-pinneds/${s.asked}`, { action: 'accept' }],
    nobodyBut(204),
    toFeeds,
  ],
  [
    'reject',
    (s) => ['PATCH', `/admin/feed-pinneds/${s.asked}`, { action: 'reject' }],
    nobodyBut(204),
    toFeeds,
  ],
  ['pin for free', (s) => ['POST', '/admin/feed-pinneds', { feed: s.feed, day: 1 }], nobodyBut(201), toFeeds],
  ['cancel', (s) => ['DELETE', `/admin/feed-pinneds/${s.asked}`], nobodyBut(204), toFeeds],
  ['delete the feed', (s) => ['DELETE', `${s.path}/currency`], [401, 403, 403, 204, 403, 204]],
])

const toNews = 'admin: news'
matrix('who may ask for, decide, end and see pins of articles and their comments', newsScene, [
  [
    'ask for an article',
    (s) => ['POST', `${s.path}/currency-pinneds`, price],
    [401, 403, 403, 201, 403, 403],
  ],
  ['ask for a comment', (s) => ['POST', s.plain, price], [401, 403, 201, 403, 403, 403]],
  ['accept a comment', (s) => ['PATCH', s.waiting], [401, 403, 403, 201, 403, 403]],
  ['reject a comment', (s) => ['PATCH', `${s.waiting}/reject`], [401, 422, 422, 204, 422, 422]],
  ['end a comment', (s) => ['DELETE', `${s.pinned}/unpinned`], [401, 403, 403, 204, 403, 403]],
  ['list all', () => ['GET', '/admin/news-pinneds'], nobodyBut(200), toNews],
  ['read one', (s) => ['GET', `/admin/news-pinneds/${s.asked}`], nobodyBut(200), toNews],
  [
    'accept',
    (s) => ['PATCH', `/admin/news-pinneds/${s.asked}`, { action: 'accept' }],
    nobodyBut(204),
    toNews,
  ],
  ['pin for free', (s) => ['POST', '/admin/news-pinneds', { news: s.news, day: 1 }], nobodyBut(201), toNews],
  ['cancel', (s) => ['DELETE', `/admin/news-pinneds/${s.asked}`], nobodyBut(204), toNews],
])

type Circle = Awaited<ReturnType<typeof circleScene>>
// Who manages a circle pins any post of it at once (R §20.2).
const inCircle = (way: string, kind: 'post' | 'comment', asked: number[]): Row<Circle>[] => {
  const path = (id: number | undefined) => `${way}/${kind}s/${id}`
  const waiting = (s: Circle) => path(kind === 'post' ? s.waiting : s.waitingComment)
  return [
    [`ask for a ${kind}`, (s) => ['POST', path(kind === 'post' ? s.plain : s.comment), price], asked],
    [`accept a ${kind}`, (s) => ['PATCH', `${waiting(s)}/accept`], [401, 403, 403, 201, 403, 403]],
    [`reject a ${kind}`, (s) => ['PATCH', `${waiting(s)}/reject`], [401, 403, 403, 201, 403, 403]],
  ]
}
matrix('who may ask for, decide and see pins in circles', circleScene, [
  ...inCircle('/currency-pinned', 'post', [401, 403, 201, 201, 403, 403]),
  ...inCircle('/currency-pinned', 'comment', [401, 403, 201, 403, 403, 403]),
  ...inCircle('/pinned', 'post', [401, 403, 201, 201, 403, 403]),
  ...inCircle('/pinned', 'comment', [401, 403, 201, 403, 403, 403]),
  [
    'pin for free',
    (s) => ['POST', `/pinned/posts/${s.plain}/create`, { day: 1 }],
    [401, 403, 403, 201, 403, 403],
  ],
  ['end', (s) => ['PATCH', `/pinned/posts/${s.pinned}/cancel`], [401, 403, 403, 201, 403, 403]],
  ['what is asked of me', () => ['GET', '/pinned/posts'], everybody(200)],
  ['what is asked of me below', () => ['GET', '/pinned/comments'], everybody(200)],
])

const others = [401, 201, 201, 422, 201, 201]
matrix('who may buy, reward and pay', saleScene, [
  ['what it costs', (s) => ['GET', `/purchases/${s.node}`], everybody(200)],
  ['buy with points', (s) => ['POST', `/currency/purchases/${s.node}`], others],
  ['buy with the wallet', (s) => ['POST', `/purchases/${s.node}`], others],
  ['reward a feed', (s) => ['POST', `/feeds/${s.feed}/new-rewards`, { amount: 1 }], others],
  ['reward a person', () => ['POST', `/user/${author.id}/new-rewards`, { amount: 1 }], others],
  ['reward a person, earlier', () => ['POST', `/user/${author.id}/rewards`, { amount: 1 }], others],
  ['transfer', () => ['POST', '/plus-pay/transfer', { user: author.id, amount: 1 }], others],
  ['transform', () => ['POST', '/plus-pay/transform', { amount: 100 }], everybody(201)],
  ['recharge', () => ['POST', '/plus-pay/recharge', { type: 'manual', amount: 100 }], everybody(201)],
  ['recharge points', () => ['POST', '/currency/recharge', { type: 'manual', amount: 100 }], everybody(201)],
  [
    'withdraw',
    () => ['POST', '/plus-pay/cashes', { value: 100, type: 'alipay', account: 'x' }],
    everybody(201),
  ],
  ['withdraw points', () => ['POST', '/currency/cash', { amount: 100 }], everybody(201)],
])

const of = (id: Person, area: string) => `/admin/users/${id.id}/${area}`
const grant = { amount: 1, reason: 'x' }
matrix('who may read what was paid, decide on money, give it and audit it', walletScene, [
  ['a paid feed', (s) => ['GET', `/feeds/${s.feed}`], [403, 403, 200, 200, 403, 403]],
  ['an order of points', (s) => ['GET', `/currency/orders/${s.points}`], [401, 404, 200, 404, 404, 404]],
  ['an order of the wallet', (s) => ['GET', `/plus-pay/orders/${s.wallet}`], [401, 404, 200, 404, 404, 404]],
  ['a charge', (s) => ['GET', `/wallet/charges/${s.wallet}`], [401, 404, 200, 404, 404, 404]],
  ...['/currency/orders', '/plus-pay/orders', '/wallet', '/wallet/charges', '/wallet/cashes'].map(
    (path): Row<unknown> => [path, () => ['GET', path], everybody(200)],
  ),
  ...(['points', 'wallet'] as const).flatMap((area): Row<unknown>[] => {
    const ability = area === 'points' ? 'admin: currency' : 'admin: wallet'
    return [
      [`read ${area}`, () => ['GET', of(applicant, area)], nobodyBut(200), ability],
      [`give ${area}`, () => ['POST', of(applicant, area), grant], nobodyBut(201), ability],
      [
        `take ${area}`,
        () => ['POST', of(applicant, area), { ...grant, amount: -1 }],
        nobodyBut(201),
        ability,
      ],
    ]
  }),
  ...(
    [
      ['withdrawals', 'withdrawal', {}],
      ['recharges', 'recharge', { reference: 'paid' }],
    ] as const
  ).flatMap(([area, name, more]): Row<Awaited<ReturnType<typeof walletScene>>>[] => {
    const ability = `admin: ${area}`
    const decide = (action: string) => (s: Awaited<ReturnType<typeof walletScene>>) =>
      ['PATCH', `/admin/${area}/${s[name]}`, { action, remark: 'x', ...more }] satisfies Call
    return [
      [`list ${area}`, () => ['GET', `/admin/${area}`], nobodyBut(200), ability],
      [`read one of ${area}`, (s) => ['GET', `/admin/${area}/${s[name]}`], nobodyBut(200), ability],
      [`accept one of ${area}`, decide('accept'), nobodyBut(204), ability],
      [`reject one of ${area}`, decide('reject'), nobodyBut(204), ability],
    ]
  }),
  ['audit', () => ['GET', '/admin/ledger/audit'], nobodyBut(200), 'admin: ledger'],
])

test('lists of orders, withdrawals and requests hold what is one’s own', async () => {
  await walletScene()
  await feedScene()
  const count = async (who: Person, path: string) => (await expect(200, as(who, 'GET', path))).length
  const bystander = await person()
  for (const path of [
    '/currency/orders',
    '/plus-pay/orders',
    '/wallet/charges',
    '/wallet/cashes',
    '/plus-pay/cashes',
    '/user/feed-comment-pinneds',
    '/pinned/posts',
    '/pinned/comments',
  ])
    assert.equal(await count(bystander, path), 0, path)
  for (const path of ['/currency/orders', '/plus-pay/orders', '/wallet/charges', '/wallet/cashes'])
    assert.ok((await count(applicant, path)) > 0, path)
  assert.ok((await count(author, '/user/feed-comment-pinneds')) > 0)
  assert.equal(await count(applicant, '/user/feed-comment-pinneds'), 0)
})
