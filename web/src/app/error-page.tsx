import type { KithError } from '@kith/client'
import { Compass, RotateCw, WifiOff } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Buy } from '../ui/buy.tsx'
import { useFailureText } from './failures.ts'
import { useWords, words } from './words.ts'

const WORDS = words({
  missing: ['Page not found', '页面不存在'],
  missingText: [
    'It may have been deleted, or you may not have access to it.',
    '页面可能已被删除，或你没有访问权限。',
  ],
  offline: ['You are offline', '网络未连接'],
  offlineText: [
    'This page is not stored on this device. It opens as soon as you are connected.',
    '此设备上没有保存这个页面，联网后会自动打开。',
  ],
  busy: ['Something went wrong', '出错了'],
  retry: ['Try again', '重试'],
  reload: ['Reload', '重新加载'],
  unpaid: ['Paid content', '付费内容'],
  home: ['Go to the home page', '返回首页'],
})

export function ErrorPage({ error, onRetry }: { error: KithError | null; onRetry: () => void }) {
  const t = useWords(WORDS)
  const textOf = useFailureText()
  useEffect(() => {
    if (error?.status !== 0) return
    addEventListener('online', onRetry)
    return () => removeEventListener('online', onRetry)
  }, [error, onRetry])
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
  const isOffline = status === 0 && navigator.onLine === false
  // Browsers never load a script again that failed once, unless the page is loaded again.
  const needsReload = error?.code === 'script_failed'
  const retry = () => (needsReload && navigator.onLine ? location.reload() : onRetry())
  const Picture = isMissing ? Compass : isOffline ? WifiOff : RotateCw
  return (
    <section class="empty">
      <Picture size={40} aria-hidden />
      <h1>{isMissing ? t.missing : isOffline ? t.offline : t.busy}</h1>
      <p>{isMissing ? t.missingText : isOffline ? t.offlineText : textOf(error)}</p>
      {isMissing ? (
        <Link class="button" href="/">
          {t.home}
        </Link>
      ) : (
        <button type="button" class="button" onClick={retry}>
          {needsReload && !isOffline ? t.reload : t.retry}
        </button>
      )}
    </section>
  )
}
