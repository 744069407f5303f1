import { useState } from 'preact/hooks'
import { read, useRead, useWrite } from '../../app/api.ts'
import { sendOnce } from '../../app/once.ts'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, useWords, words } from '../../app/words.ts'
import { Form } from '../../ui/form.tsx'
import { count, fenOf, MoneyField, MoneyTabs, money, useRules } from './money.tsx'

const WORDS = words({
  title: ['Exchange money for points', '兑换积分'],
  off: ['Points cannot be bought from the wallet on this site.', '本站未开放积分兑换。'],
  have: [(sum: string) => `Wallet balance: ${sum}.`, (sum: string) => `钱包余额 ${sum}。`],
  least: [(sum: string) => `Minimum: ${sum}.`, (sum: string) => `最少 ${sum}。`],
  gain: [
    (points: string) => `You get ${plural(points, 'point')}.`,
    (points: string) => `可兑换 ${points} 积分。`,
  ],
  send: ['Exchange', '兑换'],
  done: ['Exchanged.', '兑换成功。'],
})

const walletOf = () => read('/wallet')

export const page = definePage({
  queries: () => [walletOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const rules = useRules()
    const { say } = useToast()
    const { data: wallet } = useRead(walletOf())
    const [text, setText] = useState('')
    const { 'recharge-ratio': ratio, 'recharge-min': least } = rules.currency.settings
    const fen = fenOf(text)
    const exchange = useWrite<{ amount: number; headers: Record<string, string> }>(
      (api, { amount, headers }) => api.post('/plus-pay/transform', { body: { amount }, headers }),
      { changes: ['/wallet', '/user', '/plus-pay/orders', '/currency/orders'] },
    )
    return (
      <>
        <MoneyTabs path={visit.path} />
        <div class="settings">
          <h1>{t.title}</h1>
          {rules.wallet['transform-currency'] ? (
            <Form
              label={t.send}
              send={async () => {
                const amount = fen ?? 0
                await sendOnce('exchange', String(amount), (headers) =>
                  exchange.mutateAsync({ amount, headers }),
                )
                setText('')
                say(t.done)
              }}
            >
              <p>
                {t.have(money(wallet?.balance ?? 0, language))}{' '}
                <span class="quiet">{t.least(money(least, language))}</span>
              </p>
              <MoneyField value={text} onInput={setText} />
              <p aria-live="polite">{fen !== undefined && t.gain(count(fen * ratio, language))}</p>
            </Form>
          ) : (
            <p>{t.off}</p>
          )}
        </div>
      </>
    )
  },
})
