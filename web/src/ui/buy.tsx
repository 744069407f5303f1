import { useQueryClient } from '@tanstack/preact-query'
import { Lock } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { useSite } from '../app/site.ts'
import { plural, useWords, words } from '../app/words.ts'
import { useDialogLater } from './dialog-later.ts'

const WORDS = words({
  text: [
    (amount: number) => `Read the full text for ${plural(amount, 'point')}`,
    (amount: number) => `支付 ${amount} 积分阅读全文`,
  ],
  picture: [
    (amount: number) => `See the full picture for ${plural(amount, 'point')}`,
    (amount: number) => `支付 ${amount} 积分查看原图`,
  ],
  title: ['Buy content', '购买内容'],
})

export function Buy({
  node,
  amount,
  kind = 'text',
  onDone,
}: {
  node: number
  amount: number
  kind?: 'text' | 'picture'
  onDone?: () => void
}) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const { shown, open, close } = useDialogLater(() => import('./pay.tsx'))
  return (
    <>
      <button
        type="button"
        class="price"
        onClick={() => (viewer ? open() : navigate(`/sign-in?next=${encodeURIComponent(path)}`))}
      >
        <Lock size={16} aria-hidden /> {t[kind](amount)}
      </button>
      {shown && (
        <shown.Pay
          purpose={`node/${node}`}
          title={t.title}
          price={() => amount}
          pay={({ password, headers }) =>
            api.post('/currency/purchases/{node}', {
              params: { path: { node } },
              body: password,
              headers,
            } as never)
          }
          onClose={close}
          onDone={() => {
            close()
            onDone?.()
            void cache.invalidateQueries()
          }}
        />
      )}
    </>
  )
}
