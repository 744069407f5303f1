import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Currency = 'points' | 'wallet' | 'jpy' | 'kwd' | 'usd' | 'mga'
const { formatAmount, parseAmount, plainAmount } = (await import('../console/src/shell/money.ts')) as {
  formatAmount(amount: number, currency: Currency, locale: string, options?: { signed?: boolean }): string
  parseAmount(text: string, currency: Currency): number | null
  plainAmount(amount: number, currency: Currency): string
}

test('formats fen as CNY and points with their unit', () => {
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

test('reads amounts as people write them', () => {
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

test('reads every formatted amount back', () => {
  for (const locale of ['en', 'zh'])
    for (const currency of ['points', 'wallet', 'kwd', 'mga'] as const)
      for (const amount of [0, 1, 29, 1999, -1999, 123_456_789, 10 ** 12])
        assert.equal(parseAmount(formatAmount(amount, currency, locale), currency), amount)
})

test('knows the decimals of the same currencies as the server', () => {
  const listed = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:WHOLE|THOUSANDTHS) = (.*)/g)].map(([, list = '']) =>
      list.match(/\b[a-z]{3}\b/g),
    )
  const [ours, theirs] = [listed('console/src/shell/money.ts'), listed('src/platform/payments/stripe.ts')]
  assert.equal(ours.length, 2)
  assert.deepEqual(
    ours,
    theirs.map((codes) => codes?.filter((code) => code !== 'new')),
  )
})

test('describes the unit of every amount of the ledger in the API', () => {
  const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> }
  }
  const names = [
    ...['AdminRecharge', 'AdminWithdrawal', 'Balance', 'BalanceAdjustment', 'Charge', 'Exchange'],
    ...['LedgerTotals', 'NativeRechargeRequest', 'NewWallet', 'PointsOrder', 'PointsWithdrawalRequest'],
    ...[
      'Posting',
      'PostingListing',
      'RechargeRequest',
      'Transfer',
      'Wallet',
      'WalletAndRules',
      'WalletOrder',
    ],
    ...['Withdrawal', 'WithdrawalRequest'],
  ]
  const amounts = /^(amount|balance|balance_after|credited|payout|value|people|escrow|income|issuance|sum)$/
  const undescribed = names.flatMap((name) =>
    Object.entries(components.schemas[name]?.properties ?? {})
      .filter(([key, { description = '' }]) => amounts.test(key) && !/fen|points|Always 0/.test(description))
      .map(([key]) => `${name}.${key}`),
  )
  assert.deepEqual(undescribed, [])
  assert.ok(names.every((name) => components.schemas[name]))
})
