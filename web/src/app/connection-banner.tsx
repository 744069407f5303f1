import { WifiOff } from 'lucide-preact'
import { useConnection } from './offline.ts'
import { useSite } from './site.ts'
import { formatTime } from './time.ts'
import { useWords, words } from './words.ts'

const WORDS = words({
  offline: ['You are offline.', '网络未连接。'],
  away: ['The site does not answer.', '网站暂时无响应。'],
  from: [(time: string) => `This page is from ${time}.`, (time: string) => `此页面保存于 ${time}。`],
  retry: ['Try again', '重试'],
})

/** Says that the page cannot be current, and from when it is. */
export function ConnectionBanner() {
  const t = useWords(WORDS)
  const { language } = useSite()
  const { isOffline, keptAt } = useConnection()
  return (
    <div role="status">
      {(isOffline || keptAt !== null) && (
        <p class="banner">
          <WifiOff size={18} aria-hidden />
          <span>
            {isOffline ? t.offline : t.away}{' '}
            {keptAt !== null && t.from(formatTime(new Date(keptAt), 'moment', language))}
          </span>
          {!isOffline && (
            <button type="button" class="text-button" onClick={() => location.reload()}>
              {t.retry}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
