import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect } from 'preact/hooks'
import { read, useRead } from '../../app/api.ts'
import { useSite } from '../../app/site.ts'
import { setUnread } from '../../app/title.ts'

export const TYPES = ['comment', 'at', 'like', 'follow', 'system'] as const
export type Type = (typeof TYPES)[number]

export const statisticsOf = () => read('/user/notification-statistics')

export const unreadOf = (statistics: Schema<'NotificationStatistics'> | undefined): number =>
  statistics ? TYPES.reduce((sum, type) => sum + statistics[type].badge, 0) : 0

export function useUnread(): number {
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const { data } = useRead(statisticsOf(), { enabled: viewer !== null })
  const count = unreadOf(data)
  useEffect(() => {
    if (!viewer) return
    const over = new AbortController()
    void import('./live.ts').then(
      ({ watch }) =>
        watch(api, over.signal, () => {
          void cache.invalidateQueries({ queryKey: ['/user/notification-statistics'] })
          void cache.invalidateQueries({ queryKey: ['/user/notifications'] })
        }),
      // Without the script, the number changes with the next page only.
      () => {},
    )
    return () => over.abort()
  }, [])
  useEffect(() => {
    if (viewer) setUnread('notifications', count)
  }, [count])
  return count
}
