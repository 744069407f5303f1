import { useState } from 'preact/hooks'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { sendOnce } from '../../app/once.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Field, Form } from '../../ui/form.tsx'
import { More } from '../../ui/more.tsx'
import { Facts, Time } from '../../ui/time.tsx'
import { fenOf, MoneyField, MoneyTabs, money, PasswordField, useRules } from './money.tsx'

const WORDS = words({
  title: ['Withdraw', '提现'],
  off: ['Withdrawals are not available on this site.', '本站未开放提现。'],
  have: [(sum: string) => `Wallet balance: ${sum}.`, (sum: string) => `钱包余额 ${sum}。`],
  least: [(sum: string) => `Minimum: ${sum}.`, (sum: string) => `最少 ${sum}。`],
  lead: [
    'The amount is deducted from your wallet at once. An administrator then pays it to your account or returns it to your wallet.',
    '提交后金额会立即从钱包扣除。管理员审核后会打款到你的收款账号，或退还到钱包。',
  ],
  to: ['Withdrawal method', '提现方式'],
  account: ['Receiving account', '收款账号'],
  send: ['Request withdrawal', '申请提现'],
  done: ['Your withdrawal is being reviewed.', '提现申请已提交。'],
  mine: ['My withdrawals', '提现记录'],
  none: ['No withdrawals yet.', '暂无提现记录。'],
  waiting: ['in review', '审核中'],
  paid: ['paid', '已打款'],
  refused: ['returned', '已退还'],
  alipay: ['Alipay', '支付宝'],
  wechat: ['WeChat', '微信'],
})

const walletOf = () => read('/wallet')
const cashesOf = ({ search }: Visit) => list('/plus-pay/cashes', { params: { query: startOf(search) } })

type Asked = { value: number; type: string; account: string; password?: string }

export const page = definePage({
  queries: (visit) => [walletOf(), cashesOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const { say } = useToast()
    const { data: wallet } = useRead(walletOf())
    const cashes = useList(cashesOf(visit))
    const [text, setText] = useState('')
    const { 'min-amount': least, types, status: isOffered } = useRules().wallet.cash
    const nameOf = (type: string) => ({ alipay: t.alipay, wechat: t.wechat })[type] ?? type
    const withdraw = useWrite<{ body: Asked; headers: Record<string, string> }>(
      (api, given) => api.post('/plus-pay/cashes', given),
      { changes: ['/wallet', '/user', '/plus-pay/cashes', '/plus-pay/orders'] },
    )
    return (
      <>
        <MoneyTabs path={visit.path} />
        <div class="settings">
          <h1>{t.title}</h1>
          {isOffered && types.length > 0 ? (
            <Form
              label={t.send}
              send={async ({ type = '', account = '', password }, form) => {
                const body = { value: fenOf(text) ?? 0, type, account, ...(password ? { password } : {}) }
                await sendOnce('withdrawal', JSON.stringify([body.value, type, account]), (headers) =>
                  withdraw.mutateAsync({ body, headers }),
                )
                form.reset()
                setText('')
                say(t.done)
              }}
            >
              <p>
                {t.have(money(wallet?.balance ?? 0, language))}{' '}
                <span class="quiet">{t.least(money(least, language))}</span>
              </p>
              <p class="quiet">{t.lead}</p>
              <MoneyField value={text} onInput={setText} />
              <label>
                {t.to}
                <select name="type">
                  {types.map((type) => (
                    <option key={type} value={type}>
                      {nameOf(type)}
                    </option>
                  ))}
                </select>
              </label>
              <Field label={t.account} name="account" required maxLength={255} autocomplete="off" />
              <PasswordField />
            </Form>
          ) : (
            <p>{t.off}</p>
          )}
          <h2>{t.mine}</h2>
          {cashes.items.length === 0 && <p class="quiet">{t.none}</p>}
          <ul class="rows">
            {cashes.items.map(({ id, value, type, account, status, remark, created_at }) => (
              <li key={id}>
                <div>
                  <p class="name" dir="auto">
                    {[nameOf(type), account].filter(Boolean).join(' · ')}
                  </p>
                  <p class="quiet">
                    <Facts
                      of={[
                        [t.waiting, t.paid, t.refused][status],
                        remark,
                        <Time key="time" at={created_at} />,
                      ]}
                    />
                  </p>
                </div>
                <b>{money(value, language)}</b>
              </li>
            ))}
          </ul>
          <More list={cashes} path={visit.path} />
        </div>
      </>
    )
  },
})
