import { isKithError, type Kith } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { failureText } from '../../app/failures.ts'
import { sendOnce } from '../../app/once.ts'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { Code } from '../../ui/code.tsx'
import { Form } from '../../ui/form.tsx'
import { count, fenOf, MoneyField, MoneyTabs, money, useRules } from './money.tsx'

const WORDS = words({
  title: ['Recharge', '充值'],
  off: ['Recharges are not available on this site.', '本站未开放充值。'],
  into: ['Recharge to', '充值到'],
  wallet: ['Wallet', '钱包'],
  points: ['Points', '积分'],
  gain: [
    (points: string) => `You get ${plural(points, 'point')}.`,
    (points: string) => `可获得 ${points} 积分。`,
  ],
  by: ['Payment method', '支付方式'],
  manual: ['Bank transfer', '线下转账'],
  stripe: ['Card (Stripe)', '银行卡（Stripe）'],
  alipay: ['Alipay', '支付宝'],
  wechat: ['WeChat Pay', '微信支付'],
  send: ['Pay', '去支付'],
  quote: [
    (sum: string, code: string) =>
      `Transfer ${sum} as this site instructs, with the reference ${code}. An administrator credits the payment when it arrives.`,
    (sum: string, code: string) => `请按本站说明转账 ${sum}，并备注 ${code}。管理员确认收款后即可到账。`,
  ],
  scan: ['Scan this code with WeChat to pay.', '请使用微信扫描二维码完成支付。'],
  code: ['QR code of the payment', '支付二维码'],
  check: ['I have paid', '我已完成支付'],
  waiting: ['The payment has not arrived yet.', '尚未收到付款。'],
  credited: ['The payment was credited.', '充值成功。'],
  failed: ['The payment failed. Nothing was credited.', '支付失败，未入账。'],
  cancelled: ['The payment was cancelled. You were not charged.', '支付已取消，未发生扣款。'],
  another: ['Recharge again', '再次充值'],
  toWallet: ['View wallet', '查看钱包'],
})

const WAYS: Record<string, 'manual' | 'stripe' | 'alipay' | 'wechat'> = {
  manual: 'manual',
  stripe: 'stripe',
  alipay_pc_direct: 'alipay',
  alipay_wap: 'alipay',
  AlipayWapOrder: 'alipay',
  wx_pub_qr: 'wechat',
  wx_wap: 'wechat',
  WechatWapOrder: 'wechat',
}
const ON_TELEPHONES = new Set(['alipay_wap', 'AlipayWapOrder', 'wx_wap', 'WechatWapOrder'])
const ON_COMPUTERS = new Set(['alipay_pc_direct', 'wx_pub_qr'])
const LOOKS_AGAIN_MS = 4_000

type Into = 'wallet' | 'points'
type Order = { id: number; into: Into }
type Told = { sum: number; code?: string; codeUrl?: string }
type State = 'waiting' | 'credited' | 'failed'

const PATHS = {
  wallet: { check: '/walletRecharge/checkOrders', order: '/plus-pay/orders/{order}', page: '/wallet/money' },
  points: { check: '/currencyRecharge/checkOrders', order: '/currency/orders/{order}', page: '/wallet' },
} as const

async function stateOf(api: Kith, { id, into }: Order): Promise<State> {
  await api.post(PATHS[into].check, { body: { out_trade_no: String(id) } })
  const { state } = await api.get(PATHS[into].order, { params: { path: { order: id } } })
  return state === 0 ? 'waiting' : state > 0 ? 'credited' : 'failed'
}

function waysFor(types: string[], isTelephone: boolean): string[] {
  const unfit = isTelephone ? ON_COMPUTERS : ON_TELEPHONES
  const offered = types.filter((type) => type in WAYS)
  const best = offered.toSorted((a, b) => Number(unfit.has(a)) - Number(unfit.has(b)))
  return offered.filter((type) => best.find((each) => WAYS[each] === WAYS[type]) === type)
}

const ORDER = 'kith.payment.order'

function keptOrder(id: number): (Order & { told: Told }) | undefined {
  const order = JSON.parse(sessionStorage.getItem(ORDER) ?? 'null') as (Order & { told: Told }) | null
  return order?.id === id ? order : undefined
}

function Progress({ order, told, onAgain }: { order: Order; told?: Told; onAgain(): void }) {
  const t = useWords(WORDS)
  const { api, language } = useSite()
  const cache = useQueryClient()
  const isTransfer = told?.code !== undefined
  const [state, setState] = useState<State>('waiting')
  const [failure, setFailure] = useState('')
  const look = useCallback(async () => {
    try {
      const now = await stateOf(api, { id: order.id, into: order.into })
      setFailure('')
      setState(now)
      if (now !== 'waiting') void cache.invalidateQueries()
    } catch (error) {
      setFailure(failureText(error, language))
    }
  }, [api, cache, order.id, order.into, language])
  useEffect(() => {
    if (state !== 'waiting') return
    void look()
    // Does not poll for a bank transfer, because an administrator confirms it manually.
    if (isTransfer) return
    const timer = setInterval(() => void look(), LOOKS_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isTransfer, look, state])
  return (
    <div class="fields" aria-live="polite">
      {told?.code && state === 'waiting' && <p>{t.quote(money(told.sum, language), told.code)}</p>}
      {told?.codeUrl && state === 'waiting' && (
        <>
          <p>{t.scan}</p>
          <Code text={told.codeUrl} label={t.code} />
        </>
      )}
      <p class={state === 'failed' ? 'failure' : ''}>{t[state]}</p>
      {failure && <p class="failure">{failure}</p>}
      <p class="pair">
        {state === 'waiting' ? (
          <button type="button" class="button" onClick={() => void look()}>
            {t.check}
          </button>
        ) : (
          <Link class="button" href={PATHS[order.into].page}>
            {t.toWallet}
          </Link>
        )}{' '}
        <button type="button" class="button is-quiet" onClick={onAgain}>
          {t.another}
        </button>
      </p>
    </div>
  )
}

const walletOf = () => read('/wallet')

const returnedTo = (search: URLSearchParams) => Number(search.get('payment')?.split('_').at(-1)) || undefined

export const page = definePage({
  queries: () => [walletOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, language } = useSite()
    const [, navigate] = useLocation()
    const { data: wallet } = useRead(walletOf())
    const { wallet: rules, currency } = useRules()
    const [text, setText] = useState('')
    const [into, setInto] = useState<Into>(rules.recharge.status ? 'wallet' : 'points')
    const [isTelephone, setIsTelephone] = useState(false)
    useEffect(() => setIsTelephone(matchMedia('(pointer: coarse)').matches), [])
    const [order, setOrder] = useState<Order & { told?: Told }>()
    const isCancelled = visit.search.has('cancelled')
    const returned = returnedTo(visit.search)
    useEffect(() => {
      if (returned === undefined || isCancelled) return
      const kept = keptOrder(returned)
      if (kept) return setOrder(kept)
      // Tries both kinds of orders, because the id does not show whether the order is for the wallet or for points.
      stateOf(api, { id: returned, into: 'wallet' }).then(
        () => setOrder({ id: returned, into: 'wallet' }),
        (error) =>
          setOrder({ id: returned, into: isKithError(error) && error.status === 404 ? 'points' : 'wallet' }),
      )
    }, [api, returned, isCancelled])
    const ways = waysFor(rules.recharge.types, isTelephone)
    const isOffered = (rules.recharge.status || currency.recharge.status) && ways.length > 0
    const fen = fenOf(text)
    const suggested =
      into === 'wallet' ? (wallet?.labels ?? []) : optionsOf(currency.settings['recharge-options'])
    const send = async ({ type = '' }: { type?: string }) => {
      const amount = fen ?? 0
      const body = { type, amount }
      const { order: made, pingpp_order: charge } = await sendOnce(
        'recharge',
        JSON.stringify([into, type, amount]),
        (headers) =>
          into === 'wallet'
            ? api.post('/plus-pay/recharge', { body, headers })
            : api.post('/currency/recharge', { body, headers }),
      )
      const { code, codeUrl, url } = (charge.credential as Record<string, Record<string, string>>)[type] ?? {}
      if (url?.startsWith('https://')) location.assign(url)
      const opened = {
        id: made.id,
        into,
        told: { sum: amount, ...(code ? { code } : {}), ...(codeUrl ? { codeUrl } : {}) },
      }
      sessionStorage.setItem(ORDER, JSON.stringify(opened))
      setOrder(opened)
      if (!url) navigate(`/wallet/recharge?payment=${made.id}`, { replace: true })
    }
    return (
      <>
        <MoneyTabs path={visit.path} />
        <div class="settings">
          <h1>{t.title}</h1>
          {isCancelled && !order && <p role="status">{t.cancelled}</p>}
          {order ? (
            <Progress
              key={order.id}
              order={order}
              {...(order.told ? { told: order.told } : {})}
              onAgain={() => {
                setOrder(undefined)
                navigate('/wallet/recharge')
              }}
            />
          ) : isOffered ? (
            <Form label={t.send} send={send}>
              {rules.recharge.status && currency.recharge.status && (
                <label>
                  {t.into}
                  <select value={into} onChange={({ currentTarget }) => setInto(currentTarget.value as Into)}>
                    <option value="wallet">{t.wallet}</option>
                    <option value="points">{t.points}</option>
                  </select>
                </label>
              )}
              {suggested.length > 0 && (
                <p class="tags">
                  {suggested.map((sum) => (
                    <button
                      key={sum}
                      type="button"
                      class="button is-quiet"
                      aria-pressed={sum === fen}
                      onClick={() => setText(String(sum / 100))}
                    >
                      {money(sum, language)}
                    </button>
                  ))}
                </p>
              )}
              <MoneyField value={text} onInput={setText} />
              {into === 'points' && fen !== undefined && (
                <p aria-live="polite">{t.gain(count(fen * currency.settings['recharge-ratio'], language))}</p>
              )}
              <label>
                {t.by}
                <select name="type">
                  {ways.map((type) => (
                    <option key={type} value={type}>
                      {t[WAYS[type] ?? 'manual']}
                    </option>
                  ))}
                </select>
              </label>
            </Form>
          ) : (
            <p>{t.off}</p>
          )}
        </div>
      </>
    )
  },
})

function optionsOf(setting: string): number[] {
  return setting
    .split(',')
    .map(Number)
    .filter((sum) => sum > 0)
}
