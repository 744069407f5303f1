import type { KithError } from '@kith/client'
import { Compass, RotateCw, WifiOff } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { Buy } from '../ui/buy.tsx'
import { useWords, words } from './words.ts'

const WORDS = words({
  missing: ['Page not found', '页面不存在'],
  missingText: [
    'It may have been deleted, or you may not have access to it.',
    '页面可能已被删除，或你没有访问权限。',
  ],
  offline: ['You are offline', '网络未连接'],
  offlineText: ['Check your connection and try again.', '请检查网络连接后重试。'],
  busy: ['Something went wrong', '出错了'],
  retry: ['Try again', '重试'],
  unpaid: ['Paid content', '付费内容'],
  home: ['Go to the home page', '返回首页'],
})

export function ErrorPage({ error, onRetry }: { error: KithError | null; onRetry: () => void }) {
  const t = useWords(WORDS)
  const { paid_node: node, amount } = (error?.body ?? {}) as { paid_node?: number; amount?: number }
  if (error?.status === 403 && node !== undefined && amount !== undefined)
    return (
      <section class="empty">
        <h1>{t.unpaid}</h1>
        <Buy node={node} amount={amount} onDone={onRetry} />
      </section>
    )
  const status = error?.status ?? 404
  const isMissing = status === 404 || status === 410
  const Picture = isMissing ? Compass : status === 0 ? WifiOff : RotateCw
  return (
    <section class="empty">
      <Picture size={40} aria-hidden />
      <h1>{isMissing ? t.missing : status === 0 ? t.offline : t.busy}</h1>
      <p>{isMissing ? t.missingText : status === 0 ? t.offlineText : error?.message}</p>
      {isMissing ? (
        <Link class="button" href="/">
          {t.home}
        </Link>
      ) : (
        <button type="button" class="button" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </section>
  )
}
