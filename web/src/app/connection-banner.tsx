import { WifiOff } from 'lucide-preact'
import { useConnection } from './offline.ts'
import { useSite } from './site.ts'
import { type Language, useWords, words } from './words.ts'

const WORDS = words({
  offline: ['You are offline.', '网络未连接。'],
  away: ['The site does not answer.', '网站暂时无响应。'],
  from: [(time: string) => `This page is from ${time}.`, (time: string) => `此页面保存于 ${time}。`],
  retry: ['Try again', '重试'],
})

/** Formats a time as `14:02`, or with its date if it was on another day. */
function timeOf(time: number, language: Language): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString()
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en', {
    ...(isToday ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(time)
}

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
            {isOffline ? t.offline : t.away} {keptAt !== null && t.from(timeOf(keptAt, language))}
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
