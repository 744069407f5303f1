import type { Chat, ChatMessage } from '@kith/client'
import { BellOff, Ellipsis, RotateCw, X } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { read, useRead, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { mayRetry, useFailureText } from '../../app/failures.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Menu } from '../../ui/menu.tsx'
import { Text } from '../../ui/text.tsx'
import { useConversation } from './conversation.ts'
import { groupOf, type Member } from './group.ts'
import { Message } from './message.tsx'
import { type Aim, TalkForm } from './talk-form.tsx'
import { CHAT_READS } from './unread.ts'

const LIST = new Intl.ListFormat('en')

const WORDS = words({
  title: ['Messages', '私信'],
  closed: ['Deleted account', '已注销用户'],
  menu: ['Conversation options', '会话选项'],
  earlier: ['Show earlier messages', '查看更早的消息'],
  newest: ['Go to the newest messages', '回到最新消息'],
  typing: [
    (names: string[]) => `${LIST.format(names)} ${names.length === 1 ? 'is' : 'are'} typing…`,
    (names: string[]) => `${names.join('、')} 正在输入…`,
  ],
  failed: ['Not sent.', '发送失败。'],
  retry: ['Try again', '重试'],
  drop: ['Discard', '放弃'],
  sending: ['Sending…', '发送中…'],
  file: ['File', '文件'],
  mute: ['Mute', '消息免打扰'],
  muted: ['Muted', '免打扰'],
  unmute: ['Unmute', '取消免打扰'],
  block: ['Block', '拉黑'],
  unblock: ['Unblock', '取消拉黑'],
  blocked: ['You blocked this user. Neither of you can send messages.', '你已拉黑对方，双方无法发送消息。'],
  members: ['Members', '成员'],
  search: ['Search messages', '搜索消息'],
  clear: ['Clear chat history', '清空聊天记录'],
  sure: ['Clear your chat history? Others keep theirs.', '确定清空聊天记录吗？他人的记录不受影响。'],
  seen: ['Seen', '已读'],
  seenBy: [(n: number) => `Seen by ${n}`, (n: number) => `${n} 人已读`],
})

const PAGE = 30

const chatOf = ({ params }: Visit) =>
  read('/chats/{chat}', { params: { path: { chat: Number(params.chat) } } })
const placeOf = ({ search }: Visit) => {
  const at = search.get('at') ?? ''
  return /^\d{1,12}$/.test(at) ? Number(at) : null
}
const messagesOf = (visit: Visit) => {
  const at = placeOf(visit)
  const query = at === null ? {} : { before: at + PAGE / 2 }
  return read('/chats/{chat}/messages', {
    params: { path: { chat: Number(visit.params.chat) }, query: { limit: PAGE, ...query } },
  })
}

export const nameOf = ({ person, group }: Chat, closed: string) => person?.name ?? group?.name ?? closed

export const page = definePage({
  queries: (visit) => [chatOf(visit), messagesOf(visit)],
  head: (visit, known) => ({
    title: nameOf(known.one(chatOf(visit)), WORDS[visit.language].title),
    isPrivate: true,
  }),
  body: ({ visit }) => {
    const { data: chat } = useRead(chatOf(visit))
    const { data: messages } = useRead(messagesOf(visit))
    if (!chat || !messages) return null
    const at = placeOf(visit)
    const isOld = at !== null && (messages.data.at(-1)?.position ?? 0) < chat.last_position
    return <Conversation key={String(at)} chat={chat} first={messages.data} at={at} isLive={!isOld} />
  },
})

function Conversation({
  chat,
  first,
  at,
  isLive,
}: {
  chat: Chat
  first: ChatMessage[]
  at: number | null
  isLive: boolean
}) {
  const t = useWords(WORDS)
  const { viewer } = useSite()
  const { fail } = useToast()
  const textOf = useFailureText()
  const talk = useConversation(chat.id, first, isLive, chat.group !== null)
  const [aim, setAim] = useState<Aim>(null)
  const end = useRef<HTMLDivElement>(null)
  const { data: groups } = useRead(groupOf(chat.group?.id ?? ''), { enabled: chat.group !== null })
  const members = new Map<number, Member>(groups?.[0]?.affiliations.map((each) => [each.id, each]) ?? [])
  const newest = talk.messages.at(-1)?.id
  useEffect(() => {
    const found = talk.messages.find(({ position }) => position === at)
    const place = found && document.getElementById(`message-${found.id}`)
    if (place && newest === first.at(-1)?.id) place.scrollIntoView({ block: 'center' })
    else end.current?.scrollIntoView({ block: 'end' })
  }, [newest, talk.pending.length])
  const name = nameOf(chat, t.closed)
  const nameOfMember = (id: number) => members.get(id)?.name ?? (chat.person?.id === id ? name : '')
  const byId = new Map(talk.messages.map((each) => [each.id, each]))
  const mine = talk.messages.findLast(({ sender_id }) => sender_id === viewer?.id)
  const readers = Object.entries(talk.seen).filter(
    ([id, position]) => Number(id) !== viewer?.id && mine && position >= mine.position,
  ).length
  const mayWrite = (chat.person !== null || chat.group !== null) && !chat.person?.blacked
  return (
    <div class="talk">
      <header class="page-head">
        <h1 dir="auto">
          {chat.person ? (
            <Link href={`/users/${chat.person.id}`}>{name}</Link>
          ) : chat.group ? (
            <Link href={`/chats/members/${chat.group.id}`}>{name}</Link>
          ) : (
            name
          )}{' '}
          {chat.muted && <BellOff size={16} role="img" aria-label={t.muted} />}
        </h1>
        <ChatMenu chat={chat} />
      </header>
      {talk.hasEarlier && (
        <button type="button" class="more" onClick={() => void talk.showEarlier().catch(fail)}>
          {t.earlier}
        </button>
      )}
      <ol class="messages" aria-live="polite">
        {talk.messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            name={
              chat.group && message.sender_id !== viewer?.id ? nameOfMember(message.sender_id) : undefined
            }
            quoted={byId.get(message.reply_to ?? 0)}
            onReply={() => setAim({ kind: 'reply', message })}
            onEdit={() => setAim({ kind: 'edit', message })}
            onErase={() => void talk.erase(message).catch(fail)}
          />
        ))}
        {talk.pending.map((each) => (
          <li key={each.key} class="message is-mine">
            <div class="bubble">{each.body ? <Text tree={undefined} raw={each.body} /> : t.file}</div>
            {each.error !== undefined ? (
              <div class="message-foot">
                <p class="failure" role="alert">
                  {t.failed} {textOf(each.error)}
                </p>
                {mayRetry(each.error) && (
                  <button type="button" class="text-button" onClick={() => void talk.retry(each)}>
                    <RotateCw size={14} aria-hidden /> {t.retry}
                  </button>
                )}
                <button type="button" class="text-button" onClick={() => talk.drop(each.key)}>
                  <X size={14} aria-hidden /> {t.drop}
                </button>
              </div>
            ) : (
              <span class="quiet">{t.sending}</span>
            )}
          </li>
        ))}
      </ol>
      <p class="quiet typing" role="status">
        {talk.typing.length > 0
          ? t.typing(talk.typing.map(nameOfMember))
          : readers > 0 && (chat.group ? t.seenBy(readers) : t.seen)}
      </p>
      {!isLive && (
        <Link class="more" href={`/chats/${chat.id}`}>
          {t.newest}
        </Link>
      )}
      {chat.person?.blacked && <p class="quiet is-centred">{t.blocked}</p>}
      {isLive && mayWrite && (
        <TalkForm
          chat={chat.id}
          aim={aim}
          onAim={setAim}
          onEdit={talk.edit}
          onRestore={(id) => {
            const message = byId.get(id)
            if (message && !message.deleted) setAim({ kind: 'reply', message })
          }}
          onSend={(given) => {
            const replied = aim?.kind === 'reply' ? { reply_to: aim.message.id } : {}
            setAim(null)
            void talk.send({ ...given, ...replied })
          }}
        />
      )}
      <div ref={end} />
    </div>
  )
}

function ChatMenu({ chat }: { chat: Chat }) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  const [, navigate] = useLocation()
  const confirm = useConfirm()
  const { id, person, group, muted } = chat
  const params = { path: { chat: id } }
  const changes = ['/chats/{chat}', ...CHAT_READS]
  const mute = useWrite((api) => api.patch('/chats/{chat}', { params, body: { muted: !muted } }), { changes })
  const block = useWrite(
    (api) =>
      (person?.blacked ? api.delete : api.post)('/user/black/{user}', {
        params: { path: { user: person?.id ?? 0 } },
      }),
    { changes: [...changes, '/users/{user}'] },
  )
  const clear = useWrite((api) => api.delete('/chats/{chat}', { params }), { changes })
  const item = (label: string, act: () => unknown) => (
    <button type="button" onClick={act}>
      {label}
    </button>
  )
  return (
    <Menu label={t.menu} button={<Ellipsis size={20} aria-hidden />}>
      {item(muted ? t.unmute : t.mute, () => mute.mutate(undefined, { onError: fail }))}
      {item(t.search, () => navigate(`/chats?chat=${id}`))}
      {group && item(t.members, () => navigate(`/chats/members/${group.id}`))}
      {person && item(person.blacked ? t.unblock : t.block, () => block.mutate(undefined, { onError: fail }))}
      {!group &&
        item(t.clear, async () => {
          if (await confirm(t.sure, t.clear))
            clear.mutate(undefined, { onSuccess: () => navigate('/chats'), onError: fail })
        })}
    </Menu>
  )
}
