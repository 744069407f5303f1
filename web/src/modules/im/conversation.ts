import { type ChatMessage, KithError, newKey } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isStill } from '../../app/account.ts'
import {
  draftKey,
  otherDrafts,
  readDraft,
  removeDraft,
  takeDraft,
  thisTab,
  writeDraft,
} from '../../app/drafts.ts'
import { useSite } from '../../app/site.ts'
import { checkFile } from '../../app/uploads.ts'
import { watchChats } from './live.ts'
import { CHAT_READS } from './unread.ts'

export type Pending = {
  key: string
  body?: string
  blob?: File
  file?: number
  reply_to?: number
  /** Reason why the message was not sent. */
  error?: unknown
}

const TYPING_MS = 4_000
/**
 * Polling interval of read positions in groups. The server sends no read events to groups, because each would go to
 * every member.
 */
const SEEN_MS = 10_000
const PAGE = 30
const SENDING_MS = 60_000

const merged = (all: ChatMessage[], more: ChatMessage[]): ChatMessage[] =>
  [...new Map([...all, ...more].map((each) => [each.id, each])).values()].sort(
    (a, b) => a.position - b.position,
  )

const isSame = ({ body, file, reply_to }: Pending, message: ChatMessage) =>
  (body ?? '') === message.body && file === message.file?.file && (reply_to ?? null) === message.reply_to

/**
 * Keeps messages that were not sent, so that a reload does not lose them. Their keys make it safe to send them again.
 */
function useUnsent(chat: number, pending: Pending[], setPending: (all: Pending[]) => void): void {
  const { viewer } = useSite()
  const place = `chat/${chat}/unsent`
  const account = viewer?.id ?? 0
  const isLoaded = useRef(false)
  useLayoutEffect(() => {
    if (isLoaded.current) {
      const unsent = pending.flatMap(({ blob, error, ...rest }) => (rest.body || rest.file ? [rest] : []))
      const key = draftKey(account, place, thisTab())
      if (unsent.length === 0) removeDraft(key)
      else if (isStill(account)) writeDraft({ key, at: Date.now(), mark: '', base: '', value: unsent })
      return
    }
    isLoaded.current = true
    const own = readDraft<Pending[]>(draftKey(account, place, thisTab()))
    // Another open tab may still be sending a younger message.
    const left = otherDrafts<Pending[]>(account, place, thisTab()).filter(
      ({ at }) => Date.now() - at > SENDING_MS,
    )
    for (const { key } of left) takeDraft(key)
    const unsent = [...(own?.value ?? []), ...left.flatMap(({ value }) => value)]
    const error = new KithError(0, 'not_sent', '')
    if (unsent.length > 0) setPending(unsent.map((each) => ({ ...each, error })))
  }, [pending])
}

export function useConversation(chat: number, first: ChatMessage[], isLive: boolean, isGroup: boolean) {
  const { api, viewer, settings } = useSite()
  const cache = useQueryClient()
  const [messages, setMessages] = useState(first)
  const [pending, setPending] = useState<Pending[]>([])
  const [hasEarlier, setHasEarlier] = useState(first.length >= PAGE)
  const [typing, setTyping] = useState<number[]>([])
  const [seen, setSeen] = useState<Record<number, number>>({})
  const last = messages.at(-1)?.position ?? 0
  const sent = useRef(new Set<number>())
  useUnsent(chat, pending, setPending)

  useEffect(() => {
    if (!isLive) return
    const over = new AbortController()
    const timers = new Map<number, ReturnType<typeof setTimeout>>()
    const rest = (user: number) => {
      clearTimeout(timers.get(user))
      setTyping((all) => all.filter((each) => each !== user))
    }
    const look = async () => {
      const { data } = await api.get('/chats/{chat}/positions', { params: { path: { chat } } })
      setSeen(Object.fromEntries(data.map(({ user_id, position }) => [user_id, position])))
    }
    // Loads messages that were sent before the stream opened or during its interruption.
    const catchUp = async () => {
      const [page] = await Promise.all([api.chat.messages(chat, { limit: PAGE }), look()])
      setMessages((all) => {
        const from = page[0]?.position ?? 0
        // Drops older messages after a long interruption of the stream, because the list would otherwise have
        // a gap.
        return (all.at(-1)?.position ?? 0) + 1 < from ? page : merged(all, page)
      })
      if (page.length >= PAGE && page[0]?.position !== 1) setHasEarlier(true)
    }
    const quietly = () => void catchUp().catch(() => {})
    quietly()
    const again = setInterval(() => {
      if (isGroup && document.visibilityState === 'visible') void look().catch(() => {})
    }, SEEN_MS)
    watchChats(api, over.signal, (event) => {
      if (event.event === 'open' || event.event === 'reset') quietly()
      if (event.event === 'message' && event.message.chat_id === chat) {
        const { message } = event
        setMessages((all) => merged(all, [message]))
        rest(message.sender_id)
        // The stream can deliver the viewer's message before the response does, so the message is no longer
        // pending.
        if (message.sender_id === viewer?.id && message.edited_at === null && !sent.current.has(message.id)) {
          sent.current.add(message.id)
          setPending((all) => {
            const at = all.findIndex((each) => isSame(each, message))
            return at < 0 ? all : all.toSpliced(at, 1)
          })
        }
      }
      if (event.event === 'read' && event.chatId === chat)
        setSeen((all) => ({ ...all, [event.userId]: event.position }))
      if (event.event === 'typing' && event.chatId === chat && event.userId !== viewer?.id) {
        rest(event.userId)
        setTyping((all) => [...all, event.userId])
        timers.set(
          event.userId,
          setTimeout(() => rest(event.userId), TYPING_MS),
        )
      }
    })
    return () => {
      over.abort()
      clearInterval(again)
      for (const timer of timers.values()) clearTimeout(timer)
    }
  }, [chat])

  useEffect(() => {
    if (last === 0 || !isLive) return
    const read = () => {
      if (document.visibilityState !== 'visible') return
      void api.chat.read(chat, last).then(
        () => Promise.all(CHAT_READS.map((path) => cache.invalidateQueries({ queryKey: [path] }))),
        () => {},
      )
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [chat, last])

  const change = (key: string, by: Partial<Pending>) =>
    setPending((all) => all.map((each) => (each.key === key ? { ...each, ...by } : each)))

  const post = async (one: Pending) => {
    const { key, body, blob, reply_to } = one
    change(key, { error: undefined })
    try {
      if (blob && !one.file) checkFile(blob, settings, 'any')
      const file = one.file ?? (blob && (await api.upload(blob, { name: blob.name })).id)
      if (file) change(key, { file })
      const message: ChatMessage = await api.post('/chats/{chat}/messages', {
        params: { path: { chat } },
        body: { ...(body ? { body } : {}), ...(file ? { file } : {}), ...(reply_to ? { reply_to } : {}) },
        headers: { 'idempotency-key': key },
      })
      sent.current.add(message.id)
      setMessages((all) => merged(all, [message]))
      setPending((all) => all.filter((each) => each.key !== key))
    } catch (error) {
      change(key, { error })
    }
  }
  const replace = (message: ChatMessage) => setMessages((all) => merged(all, [message]))

  return {
    messages,
    pending,
    hasEarlier,
    typing,
    seen,
    retry: post,
    drop: (key: string) => setPending((all) => all.filter((each) => each.key !== key)),
    send: (given: Omit<Pending, 'key'>) => {
      const one = { ...given, key: newKey() }
      setPending((all) => [...all, one])
      return post(one)
    },
    showEarlier: async () => {
      const page = await api.chat.messages(chat, { before: messages[0]?.position ?? 1, limit: PAGE })
      setHasEarlier(page.length >= PAGE)
      setMessages((all) => merged(page, all))
    },
    edit: async (message: number, body: string) =>
      replace(
        await api.patch('/chats/{chat}/messages/{message}', {
          params: { path: { chat, message } },
          body: { body },
        }),
      ),
    erase: async (message: ChatMessage) => {
      await api.delete('/chats/{chat}/messages/{message}', {
        params: { path: { chat, message: message.id } },
      })
      replace({ ...message, deleted: true, body: '', body_tree: [], file: null })
    },
  }
}
