import type { Schema } from '@kith/client'
import { AtSign, BellOff, Heart, Info, MessageCircle, Pin, Settings2, UserPlus } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { list, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time, useTimeFormat } from '../../ui/time.tsx'
import { detailsOf, sentenceOf } from './sentence.ts'
import { statisticsOf, TYPES, type Type, unreadOf } from './unread.ts'

const WORDS = words({
  title: ['Notifications', '通知'],
  kinds: ['Types of notifications', '通知类型'],
  comment: ['Comments', '评论'],
  at: ['Mentions', '提到我的'],
  like: ['Likes', '点赞'],
  follow: ['Followers', '粉丝'],
  system: ['System', '系统通知'],
  all: ['Mark all as read', '全部标为已读'],
  unread: ['unread', '未读'],
  empty: ['No notifications yet', '暂无通知'],
  preferences: ['Notification settings', '通知设置'],
  pins: ['Pin requests', '置顶申请'],
  closed: ['Deleted account', '已注销用户'],
})

const PICTURES = { comment: MessageCircle, at: AtSign, like: Heart, follow: UserPlus, system: Info }

const typeOf = ({ params }: Visit): Type => TYPES.find((type) => type === params.type) ?? 'comment'
const afterOf = ({ search }: Visit) => Number(search.get('after')) || undefined

const notificationsOf = (visit: Visit) =>
  list('/user/notifications', { params: { query: { type: typeOf(visit), after: afterOf(visit) } } as never })

export const page = definePage({
  queries: (visit) => [notificationsOf(visit), statisticsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const type = typeOf(visit)
    const { fail } = useToast()
    const notifications = useList(notificationsOf(visit))
    const { data: statistics } = useRead(statisticsOf())
    const badge = statistics?.[type].badge ?? 0
    const changes = ['/user/notification-statistics']
    const see = useWrite<Type>((api, given) => api.patch('/user/notifications', { body: { type: given } }), {
      changes,
    })
    const seeAll = useWrite((api) => api.put('/user/notifications/all'), {
      changes: [...changes, '/user/notifications'],
    })
    // Marks the list as read when it opens. Its rows stay highlighted until the next visit.
    useEffect(() => {
      if (badge > 0 && document.visibilityState === 'visible') see.mutate(type)
    }, [type, badge])
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          <Link class="icon-button" href="/pins/feeds" aria-label={t.pins}>
            <Pin size={20} aria-hidden />
          </Link>
          <Link class="icon-button" href="/notifications/preferences" aria-label={t.preferences}>
            <Settings2 size={20} aria-hidden />
          </Link>
        </header>
        <Tabs
          label={t.kinds}
          here={`/notifications/${type}`}
          tabs={TYPES.map((each) => [
            `/notifications/${each}`,
            <Label key={each} label={t[each]} count={statistics?.[each].badge ?? 0} />,
          ])}
        />
        {unreadOf(statistics) > 0 && (
          <p class="notices-bar">
            <button
              type="button"
              class="text-button"
              onClick={() => seeAll.mutate(undefined, { onError: fail })}
            >
              {t.all}
            </button>
          </p>
        )}
        <ol class="notices">
          {notifications.items.map((each) => (
            <Row key={each.id} notification={each} type={type} />
          ))}
        </ol>
        {notifications.items.length === 0 && !notifications.isPending && (
          <section class="empty">
            <BellOff size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        <More list={notifications} path={visit.path} />
      </>
    )
  },
})

function Label({ label, count }: { label: string; count: number }) {
  const t = useWords(WORDS)
  return (
    <>
      {label}
      {count > 0 && (
        <span class="count">
          {count > 99 ? '99+' : count}
          <span class="sr-only"> {t.unread}</span>
        </span>
      )}
    </>
  )
}

function Row({ notification, type }: { notification: Schema<'Notification'>; type: Type }) {
  const t = useWords(WORDS)
  const { language, origin } = useSite()
  const { data, link } = notification
  const Picture = PICTURES[type]
  const format = useTimeFormat()
  const sentence = sentenceOf(type, notification, language)
  const details = detailsOf(type, notification, language, format)
  // Makes links into this site relative, so that navigation needs no page load.
  const href = link?.startsWith(`${origin}/`) ? link.slice(origin.length) : link
  return (
    <li class={notification.read_at ? 'notice' : 'notice is-unread'}>
      <span class={`notice-icon is-${type}`}>
        <Picture size={20} aria-hidden />
      </span>
      <div>
        <p>
          {type !== 'system' && (
            <Link class="name" dir="auto" href={`/users/${data.sender.id}`}>
              {data.sender.name || t.closed}
            </Link>
          )}{' '}
          {href ? <Link href={href}>{sentence}</Link> : sentence}
        </p>
        {details.map((detail) => (
          <p key={detail} class="notice-detail" dir="auto">
            {detail}
          </p>
        ))}
        <Time class="time" at={notification.created_at} />
      </div>
    </li>
  )
}
