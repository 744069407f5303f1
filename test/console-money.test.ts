import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Currency = 'points' | 'wallet' | 'jpy' | 'kwd' | 'usd' | 'mga'
const { formatAmount, parseAmount, plainAmount } = (await import('../console/src/shell/money.ts')) as {
  formatAmount(amount: number, currency: Currency, locale: string, options?: { signed?: boolean }): string
  parseAmount(text: string, currency: Currency): number | null
  plainAmount(amount: number, currency: Currency): string
}

test('formats an amount with the decimals of its currency', () => {
  assert.equal(formatAmount(15_000, 'wallet', 'en'), 'CN¥150.00')
  assert.equal(formatAmount(15_000, 'wallet', 'zh'), '¥150.00')
  assert.equal(formatAmount(-5, 'wallet', 'en', { signed: true }), '-CN¥0.05')
  assert.equal(formatAmount(321, 'points', 'en', { signed: true }), '+321 points')
  assert.equal(formatAmount(1, 'points', 'en'), '1 point')
  assert.equal(formatAmount(1500, 'points', 'zh'), '1,500 积分')
  assert.equal(plainAmount(15_000, 'wallet'), '150.00')
  assert.equal(formatAmount(1500, 'jpy', 'en'), '¥1,500')
  assert.equal(formatAmount(1500, 'kwd', 'en').replace('\u00a0', ' '), 'KWD 1.500')
  assert.equal(plainAmount(1500, 'mga'), '1500')
})

test('parses amounts in the notations that users type', () => {
  const wallet: [string, number][] = [
    ['150', 15_000],
    ['150.5', 15_050],
    [' 1,500.05 ', 150_005],
    ['¥150', 15_000],
    ['CN¥ 150.00', 15_000],
    ['１５０元', 15_000],
    ['-20.10 CNY', -2010],
    ['−0.29', -29],
    ['-¥3', -300],
    ['¥-3', -300],
  ]
  for (const [text, fen] of wallet) assert.equal(parseAmount(text, 'wallet'), fen, text)
  assert.equal(parseAmount('1,000 points', 'points'), 1000)
  for (const text of ['', 'ten', '1.234', '1,50', '1 2', '1e3', '--1', '9'.repeat(20)])
    assert.equal(parseAmount(text, 'wallet'), null, text)
  assert.equal(parseAmount('1.5', 'points'), null)
  assert.deepEqual(
    [parseAmount('300', 'jpy'), parseAmount('3.5', 'jpy'), parseAmount('3 USD', 'usd')],
    [300, null, 300],
  )
  assert.deepEqual(
    [parseAmount('KWD 1.234', 'kwd'), parseAmount('3 EUR', 'usd'), parseAmount('$3', 'usd')],
    [1234, null, 300],
  )
})

test('parses every formatted amount to the same value', () => {
  for (const locale of ['en', 'zh'])
    for (const currency of ['points', 'wallet', 'kwd', 'mga'] as const)
      for (const amount of [0, 1, 29, 1999, -1999, 123_456_789, 10 ** 12])
        assert.equal(parseAmount(formatAmount(amount, currency, locale), currency), amount)
})

test('lists the same zero-decimal and three-decimal currencies in the console as on the server', () => {
  const listed = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:ZERO_DECIMAL|THREE_DECIMAL) = (.*)/g)].map(([, list = '']) =>
      list.match(/\b[a-z]{3}\b/g),
    )
  const [ours, theirs] = [
    listed('console/src/shell/money.ts'),
    listed('src/modules/ledger/payments/providers/stripe.ts'),
  ]
  assert.equal(ours.length, 2)
  assert.deepEqual(
    ours,
    theirs.map((codes) => codes?.filter((code) => code !== 'new')),
  )
})

type Schema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  'x-unit'?: string
} & { [Key in 'anyOf' | 'oneOf' | 'allOf']?: Schema[] }

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: Record<string, Schema> }
}

const partsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema) => [...anyOf, ...oneOf, ...allOf]

const isNumeric = (schema: Schema): boolean =>
  [schema.type].flat().some((type) => type === 'integer' || type === 'number') ||
  partsOf(schema).some(isNumeric) ||
  (schema.items !== undefined && isNumeric(schema.items))

const fieldsOf = (schema: Schema, path: string): [string, Schema][] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, field]): [string, Schema][] => [
    [`${path}.${key}`, field],
    ...fieldsOf(field, `${path}.${key}`),
  ]),
  ...partsOf(schema).flatMap((part) => fieldsOf(part, path)),
  ...(schema.items ? fieldsOf(schema.items, path) : []),
]

const UNIT = /\b(fen|points|minor unit)\b/i

const hasUnit = (schema: Schema): boolean =>
  UNIT.test(`${schema.description} ${schema['x-unit']}`) ||
  [...partsOf(schema), ...(schema.items ? [schema.items] : [])].some(hasUnit)

const fields = Object.entries(components.schemas).flatMap(([name, schema]) => fieldsOf(schema, name))

const MONEY = new RegExp(
  `(^|[_:-])(${[
    ...['amounts?', 'money', 'price', 'cost', 'pay', 'paid', 'payout', 'fees?', 'fine', 'balance', 'funds'],
    ...[
      'charged',
      'credited',
      'refunded',
      'borne',
      'bounty',
      'reward',
      'rewards',
      'escrow',
      'issuance',
      'gold',
    ],
    ...[
      'income',
      'expenses?',
      'sum',
      'values?',
      'labels',
      'currency',
      'wallet',
      'points',
      'cash',
      'recharge',
    ],
  ].join('|')})($|[_:-])`,
)

const NO_MONEY: Record<string, string> = {
  'DailySeries.values': 'numbers of users and content; no series contains money',
  'GroupPost.reward_number': 'number of rewards',
  'GroupPostItem.reward_number': 'number of rewards',
  'GroupPostRecord.reward_number': 'number of rewards',
  'HealthFigure.value': 'a number, bytes or seconds',
  'Settings.feed:pay-word-limit': 'number of characters',
  'Settings.wallet:ratio': 'a ratio that older clients display',
}

test('describes the unit of every amount in the API', () => {
  const amounts = fields.filter(([path, field]) => {
    const name = path.split('.').at(-1) ?? ''
    return MONEY.test(name) && !/_(id|node)$/.test(name) && isNumeric(field)
  })
  assert.ok(amounts.length > 80, `saw only ${amounts.length} amounts`)
  const undescribed = amounts.filter(([, field]) => !hasUnit(field)).map(([path]) => path)
  assert.deepEqual(undescribed.sort(), Object.keys(NO_MONEY).sort())
})

test('describes the unit of ledger totals, pin averages, view payments and recharge fees', () => {
  const totals = ['people', 'escrow', 'income', 'issuance'].map((name) => `LedgerTotals.${name}`)
  const averages = ['FeedPinAverage.feed', 'ArticlePinAverage.news', 'GroupPinAverage.post'].flatMap(
    (name) => [name, `${name}_comment`],
  )
  for (const name of [...totals, ...averages, 'Answer.onlookers_total', 'AdminRecharge.fee']) {
    const [, field] = fields.find(([path]) => path === name) ?? assert.fail(name)
    assert.ok(hasUnit(field), name)
  }
})
