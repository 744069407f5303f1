import { useQueryClient } from '@tanstack/preact-query'
import { useEffect } from 'preact/hooks'
import { read, useRead } from '../../app/api.ts'
import { useSite } from '../../app/site.ts'
import { setUnread } from '../../app/title.ts'

export const PAGE = 30

export const chatsOf = (before?: number) =>
  read('/chats', { params: { query: { limit: PAGE, ...(before ? { before } : {}) } } })

/**
 * Returns the live number of unread messages, except in muted conversations. Null hides the menu entry on sites with
 * an external chat provider.
 */
export function useUnreadChats(): number | null {
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const { data: chats = [], error } = useRead(chatsOf(), { enabled: viewer !== null })
  const isElsewhere = error?.code === 'chat_elsewhere'
  const count = chats.reduce((sum, { unread, muted }) => sum + (muted ? 0 : unread), 0)
  useEffect(() => {
    if (!viewer || isElsewhere) return
    const over = new AbortController()
    void import('./live.ts').then(
      ({ watchChats }) =>
        watchChats(api, over.signal, ({ event }) => {
          if (event !== 'typing' && event !== 'presence')
            void cache.invalidateQueries({ queryKey: ['/chats'] })
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
