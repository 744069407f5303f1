import { read, useRead } from '../../app/api.ts'
import { useSite } from '../../app/site.ts'
import { type Language, useWords, words } from '../../app/words.ts'
import { Field } from '../../ui/form.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Facts } from '../../ui/time.tsx'

const WORDS = words({
  points: ['Points', '积分'],
  wallet: ['Wallet', '钱包'],
  recharge: ['Recharge', '充值'],
  withdraw: ['Withdraw', '提现'],
  exchange: ['Exchange for points', '兑换积分'],
  label: ['Points and wallet', '积分与钱包'],
  amount: ['Amount in CNY', '金额（元）'],
  password: ['Your password', '登录密码'],
  earlier: ['Transactions before the move', '迁移前的收支明细'],
})

/** Settings that the schema of `GET /bootstrappers` does not describe. */
type Rules = {
  wallet: {
    cash: { 'min-amount': number; types: string[]; status: boolean }
    recharge: { types: string[]; status: boolean }
    'transform-currency': boolean
  }
  currency: {
    recharge: { status: boolean }
    settings: { 'recharge-ratio': number; 'recharge-options': string; 'recharge-min': number }
  }
}

export const useRules = (): Rules => useSite().settings as unknown as Rules

const locale = (language: Language) => (language === 'zh' ? 'zh-CN' : 'en')

export const money = (fen: number, language: Language): string =>
  new Intl.NumberFormat(locale(language), {
    style: 'currency',
    currency: 'CNY',
    currencyDisplay: 'narrowSymbol',
  }).format(fen / 100)

export const count = (points: number, language: Language): string => points.toLocaleString(locale(language))

export function fenOf(text: string | undefined): number | undefined {
  const [, yuan = '', rest = ''] = /^\s*(\d{1,8})(?:[.,](\d{1,2}))?\s*$/.exec(text ?? '') ?? []
  return yuan === '' ? undefined : Number(yuan) * 100 + Number(rest.padEnd(2, '0'))
}

export const MoneyField = ({ value, onInput }: { value: string; onInput(value: string): void }) => (
  <Field
    label={useWords(WORDS).amount}
    name="amount"
    inputMode="decimal"
    pattern="\s*\d{1,8}([.,]\d{1,2})?\s*"
    required
    value={value}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
  />
)

export function PasswordField() {
  const t = useWords(WORDS)
  const { settings } = useSite()
  if (!settings['pay-validate-user-password']) return null
  return <Field label={t.password} name="password" type="password" autocomplete="current-password" required />
}

/** A row in a list of transactions. */
export const Movement = ({
  title,
  facts,
  type,
  amount,
}: {
  title: string
  facts: Parameters<typeof Facts>[0]['of']
  type: number
  amount: string
}) => (
  <li>
    <div>
      <p class="name" dir="auto">
        {title}
      </p>
      <p class="quiet">
        <Facts of={facts} />
      </p>
    </div>
    <b>
      {type === 1 ? '+' : '−'}
      {amount}
    </b>
  </li>
)

export const earlierOf = () => read('/wallet/earlier-orders', { params: { query: { limit: 1 } } })

/** Leads to the transactions at the former site, for members who have some. */
export function EarlierLink() {
  const t = useWords(WORDS)
  const { data } = useRead(earlierOf())
  if (!data || data.length === 0) return null
  return (
    <p class="is-centred">
      <a href="/wallet/earlier">{t.earlier}</a>
    </p>
  )
}

export function MoneyTabs({ path }: { path: string }) {
  const t = useWords(WORDS)
  const { wallet, currency } = useRules()
  const pages = [
    ['/wallet', t.points, true],
    ['/wallet/money', t.wallet, true],
    ['/wallet/recharge', t.recharge, wallet.recharge.status || currency.recharge.status],
    ['/wallet/withdraw', t.withdraw, wallet.cash.status],
    ['/wallet/exchange', t.exchange, wallet['transform-currency']],
  ] as const
  return (
    <Tabs
      label={t.label}
      here={path}
      tabs={pages.filter(([, , isOffered]) => isOffered).map(([to, label]) => [to, label])}
    />
  )
}
