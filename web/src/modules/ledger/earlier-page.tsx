import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { count, MoneyTabs, Movement, money } from './money.tsx'

const WORDS = words({
  title: ['Transactions before the move', '迁移前的收支明细'],
  about: [
    'These transactions took place at the former site. They add to no balance.',
    '以下收支发生在旧站，不计入当前余额。',
  ],
  waiting: ['pending', '处理中'],
  failed: ['failed', '失败'],
  refund: ['refund', '退款'],
  payment: ['Payment', '支付单号'],
  none: ['No transactions before the move.', '没有迁移前的收支明细。'],
})

const ordersOf = ({ search }: Visit) => list('/wallet/earlier-orders', { params: { query: startOf(search) } })

export const page = definePage({
  queries: (visit) => [ordersOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const orders = useList(ordersOf(visit))
    return (
      <>
        <MoneyTabs path={visit.path} />
        <header class="article">
          <h1>{t.title}</h1>
          <p class="quiet">{t.about}</p>
        </header>
        <ul class="rows is-padded">
          {orders.items.map(({ id, title, body, type, state, refunded, currency, amount, ...order }) => (
            <Movement
              key={id}
              title={title}
              facts={[
                body,
                <Time key="time" at={order.created_at} />,
                refunded ? t.refund : state === 0 ? t.waiting : state < 0 && t.failed,
                order.provider_number && `${t.payment} ${order.provider_number}`,
              ]}
              type={type}
              amount={currency === 'wallet' ? money(amount, language) : count(amount, language)}
            />
          ))}
        </ul>
        {orders.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={orders} path={visit.path} />
      </>
    )
  },
})
