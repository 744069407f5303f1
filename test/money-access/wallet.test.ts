import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Call, createParties, everybody, nobodyBut, type Row } from '#test/fixtures/money-access.ts'
import type { Person } from '#test/world.ts'

const parties = await createParties()
const { as, sql, person, applicant, author, expect, saleScene, feedOf, commented, matrix } = parties

const lastOf = async (table: string, who: Person): Promise<number> => {
  const [row] = await sql<{ id: number }[]>`
    select id from ${sql(table)} where owner_id = ${who.id} order by id desc limit 1`
  assert.ok(row)
  return row.id
}

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

const others = [401, 201, 201, 422, 201, 201]
matrix('restricts purchases, rewards and payments by role', saleScene, [
  ['the price', (s) => ['GET', `/purchases/${s.node}`], everybody(200)],
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
matrix('restricts payment records and the administration of money by role', walletScene, [
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

test("lists only the viewer's own orders, withdrawals and pin requests", async () => {
  await walletScene()
  await commented(`/feeds/${await feedOf(author)}`, 'feed:comment')
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
