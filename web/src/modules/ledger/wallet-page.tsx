import { CalendarCheck } from 'lucide-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, pluralOf, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { count, EarlierLink, earlierOf, MoneyTabs, Movement } from './money.tsx'

const WORDS = words({
  title: ['Points', '积分'],
  points: [(count: number) => pluralOf(count, 'point'), () => '积分'],
  checkIn: ['Check in today', '今日签到'],
  checkedIn: ['Checked in', '已签到'],
  days: [(days: number) => `${plural(days, 'day')} in a row`, (days: number) => `已连续签到 ${days} 天`],
  history: ['Points history', '积分明细'],
  none: ['No transactions yet.', '暂无明细。'],
})

const userOf = () => read('/user')
const checkinOf = () => read('/user/checkin')
const ordersOf = ({ search }: Visit) => list('/currency/orders', { params: { query: startOf(search) } })

export const page = definePage({
  queries: (visit) => [userOf(), ordersOf(visit)],
  extras: () => [checkinOf(), earlierOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const { say, fail } = useToast()
    const { data: user } = useRead(userOf())
    const { data: checkin } = useRead(checkinOf())
    const orders = useList(ordersOf(visit))
    const checkIn = useWrite((api) => api.put('/user/checkin/currency'), {
      changes: ['/user', '/user/checkin', '/currency/orders'],
    })
    return (
      <>
        <MoneyTabs path={visit.path} />
        <header class="article">
          <h1>{t.title}</h1>
          <p class="balance">
            {count(user?.currency.sum ?? 0, language)}{' '}
            <span class="quiet">{t.points(user?.currency.sum ?? 0)}</span>
          </p>
          {checkin && (
            <p class="pair">
              <button
                type="button"
                class="button"
                disabled={checkin.checked_in || checkIn.isPending}
                onClick={() =>
                  checkIn.mutate(undefined, { onSuccess: () => say(t.checkedIn), onError: fail })
                }
              >
                <CalendarCheck size={18} aria-hidden />
                {checkin.checked_in ? t.checkedIn : t.checkIn}
              </button>{' '}
              {checkin.last_checkin_count > 0 && (
                <span class="quiet">{t.days(checkin.last_checkin_count)}</span>
              )}
            </p>
          )}
          <h2>{t.history}</h2>
        </header>
        <ul class="rows is-padded">
          {orders.items.map(({ id, title, body, type, amount, created_at }) => (
            <Movement
              key={id}
              title={title}
              facts={[body, <Time key="time" at={created_at} />]}
              type={type}
              amount={count(amount, language)}
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
