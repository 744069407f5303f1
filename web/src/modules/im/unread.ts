import { useQueryClient } from '@tanstack/preact-query'
import { useEffect } from 'preact/hooks'
import { read, useRead } from '../../app/api.ts'
import { useSite } from '../../app/site.ts'
import { setUnread } from '../../app/title.ts'

export const PAGE = 30

export const chatsOf = (before?: number) =>
  read('/chats', { params: { query: { limit: PAGE, ...(before ? { before } : {}) } } })

/** Reads that change with each message. The list has one page only, so the server counts the unread messages. */
export const CHAT_READS = ['/chats', '/chats/unread'] as const

/**
 * Returns the live number of unread messages, except in muted conversations. Null hides the menu entry on sites with
 * an external chat provider.
 */
export function useUnreadChats(): number | null {
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const { data, error } = useRead(read('/chats/unread'), { enabled: viewer !== null })
  const isElsewhere = error?.code === 'chat_elsewhere'
  const count = data?.unread ?? 0
  useEffect(() => {
    if (!viewer || isElsewhere) return
    const over = new AbortController()
    void import('./live.ts').then(
      ({ watchChats }) =>
        watchChats(api, over.signal, ({ event }) => {
          if (event !== 'typing' && event !== 'presence')
            for (const path of CHAT_READS) void cache.invalidateQueries({ queryKey: [path] })
        }),
      // Without the script, the number changes with the next page only.
      () => {},
    )
    return () => over.abort()
  }, [isElsewhere])
  useEffect(() => {
    if (viewer) setUnread('chats', count)
  }, [count])
  return isElsewhere ? null : count
}
