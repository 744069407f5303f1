import { BellOff, MessagesSquare, Users } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { Avatar } from '../../ui/picture.tsx'
import { Time } from '../../ui/time.tsx'
import { useBrief } from './message.tsx'
import { chatsOf, PAGE } from './unread.ts'

const WORDS = words({
  title: ['Messages', '私信'],
  empty: ['No conversations yet', '还没有会话'],
  emptyText: ['Open the profile of a user to send a message.', '打开用户的个人主页即可发送私信。'],
  closed: ['Deleted account', '已注销用户'],
  muted: ['Muted', '免打扰'],
  unread: ['unread', '未读'],
  group: ['New group chat', '发起群聊'],
  search: ['Search messages', '搜索消息'],
  searchOne: ['Search this conversation', '搜索此会话'],
  go: ['Search', '搜索'],
  results: ['Search results', '搜索结果'],
  none: ['No messages found.', '没有找到消息。'],
  more: ['Show more', '加载更多'],
})

const shownOf = ({ search }: Visit) => chatsOf(Number(search.get('before')) || undefined)

const searchOf = ({ search }: Visit) => {
  const chat = Number(search.get('chat'))
  return {
    q: (search.get('q') ?? '').trim(),
    chat: Number.isSafeInteger(chat) && chat > 0 ? chat : undefined,
  }
}
const foundOf = (visit: Visit) => {
  const { q, chat } = searchOf(visit)
  const before = Number(visit.search.get('before')) || undefined
  return read('/chats/messages', {
    params: { query: { q, limit: PAGE, ...(chat ? { chat } : {}), ...(before ? { before } : {}) } },
  })
}
const isSearch = (visit: Visit) => [...searchOf(visit).q].length > 1

export const page = definePage({
  queries: (visit) => [
    isSearch(visit) ? chatsOf() : shownOf(visit),
    ...(isSearch(visit) ? [foundOf(visit)] : []),
  ],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const [, navigate] = useLocation()
    const { q, chat } = searchOf(visit)
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          <Link class="icon-button" href="/chats/new" aria-label={t.group} title={t.group}>
            <Users size={20} aria-hidden />
          </Link>
        </header>
        <search>
          <form
            class="search"
            action="/chats"
            onSubmit={(event) => {
              event.preventDefault()
              const wanted = String(new FormData(event.currentTarget).get('q') ?? '').trim()
              const query = new URLSearchParams({
                ...(wanted ? { q: wanted } : {}),
                ...(chat && wanted ? { chat: String(chat) } : {}),
              })
              navigate(`/chats?${query}`)
            }}
          >
            {chat && <input type="hidden" name="chat" value={chat} />}
            <input
              key={q}
              type="search"
              dir="auto"
              name="q"
              aria-label={chat ? t.searchOne : t.search}
              placeholder={chat ? t.searchOne : t.search}
              defaultValue={q}
              minLength={2}
              maxLength={100}
              autocomplete="off"
            />
            <button class="button is-quiet" type="submit">
              {t.go}
            </button>
          </form>
        </search>
        {isSearch(visit) ? <Found visit={visit} /> : <Conversations visit={visit} />}
      </>
    )
  },
})

function Found({ visit }: { visit: Visit }) {
  const t = useWords(WORDS)
  const brief = useBrief()
  const { data: found, isPending } = useRead(foundOf(visit))
  const { data: chats = [] } = useRead(chatsOf())
  const messages = found?.data ?? []
  const names = new Map(chats.map(({ id, person, group }) => [id, person?.name ?? group?.name]))
  const query = new URLSearchParams(visit.search)
  query.set('before', String(messages.at(-1)?.id))
  return (
    <>
      <ul class="chats" aria-label={t.results}>
        {messages.map((message) => (
          <li key={message.id}>
            <Link href={`/chats/${message.chat_id}?at=${message.position}`} class="chat">
              <div>
                <p class="name" dir="auto">
                  {names.get(message.chat_id)}
                </p>
                <p dir="auto" class="summary-text">
                  {brief(message)}
                </p>
              </div>
              <Time class="time" at={message.created_at} />
            </Link>
          </li>
        ))}
      </ul>
      {messages.length === 0 && !isPending && <p class="quiet is-centred">{t.none}</p>}
      {messages.length === PAGE && (
        <Link class="more" href={`/chats?${query}`}>
          {t.more}
        </Link>
      )}
    </>
  )
}

function Conversations({ visit }: { visit: Visit }) {
  const t = useWords(WORDS)
  const brief = useBrief()
  const { data: chats = [], isPending } = useRead(shownOf(visit))
  const last = chats.at(-1)?.last_message?.id
  return (
    <>
      <ul class="chats">
        {chats.map(({ id, person, group, last_message: last, unread, muted }) => (
          <li key={id}>
            <Link href={`/chats/${id}`} class={unread > 0 ? 'chat is-unread' : 'chat'}>
              <Avatar person={person ?? (group ? { id, name: group.name, avatar: null } : null)} />
              <div>
                <p class="name" dir="auto">
                  {person?.name ?? group?.name ?? t.closed}{' '}
                  {muted && <BellOff size={14} role="img" aria-label={t.muted} />}
                </p>
                {last && (
                  <p dir="auto" class="summary-text quiet">
                    {brief(last)}
                  </p>
                )}
              </div>
              {last && <Time class="time" at={last.created_at} />}
              {unread > 0 && (
                <span class="count">
                  {unread > 99 ? '99+' : unread}
                  <span class="sr-only"> {t.unread}</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      {chats.length === 0 && !isPending && (
        <section class="empty">
          <MessagesSquare size={40} aria-hidden />
          <h2>{t.empty}</h2>
          <p>{t.emptyText}</p>
        </section>
      )}
      {chats.length === PAGE && last !== undefined && (
        <Link class="more" href={`/chats?before=${last}`}>
          {t.more}
        </Link>
      )}
    </>
  )
}
