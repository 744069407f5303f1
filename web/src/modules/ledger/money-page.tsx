import { list, read, startOf, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { EarlierLink, earlierOf, MoneyTabs, Movement, money } from './money.tsx'

const WORDS = words({
  title: ['Wallet', '钱包'],
  history: ['Transactions', '收支明细'],
  waiting: ['pending', '处理中'],
  failed: ['failed', '失败'],
  none: ['No transactions yet.', '暂无明细。'],
})

const walletOf = () => read('/wallet')
const ordersOf = ({ search }: Visit) => list('/plus-pay/orders', { params: { query: startOf(search) } })

export const page = definePage({
  queries: (visit) => [walletOf(), ordersOf(visit)],
  extras: () => [earlierOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const { data: wallet } = useRead(walletOf())
    const orders = useList(ordersOf(visit))
    return (
      <>
        <MoneyTabs path={visit.path} />
        <header class="article">
          <h1>{t.title}</h1>
          <p class="balance">{money(wallet?.balance ?? 0, language)}</p>
          {wallet?.rule && <p class="quiet">{wallet.rule}</p>}
          <h2>{t.history}</h2>
        </header>
        <ul class="rows is-padded">
          {orders.items.map(({ id, title, body, type, state, amount, created_at }) => (
            <Movement
              key={id}
              title={title}
              facts={[
                body,
                <Time key="time" at={created_at} />,
                state === 0 ? t.waiting : state < 0 && t.failed,
              ]}
              type={type}
              amount={money(amount, language)}
            />
          ))}
        </ul>
        {orders.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={orders} path={visit.path} />
        <EarlierLink />
      </>
    )
  },
})
