import { useQueryClient } from '@tanstack/preact-query'
import { ArrowUp } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { scrollBehavior } from '../../app/motion.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({ new: ['Show new posts', '查看新动态'] })

const EVERY_MS = 45_000

/** Offers to load new feeds, because feeds inserted without a click would move the list while the user taps. */
export function Announced({ newest, onShow }: { newest: number; onShow(): Promise<{ error: unknown }> }) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { fail } = useToast()
  const cache = useQueryClient()
  const [isNewer, setIsNewer] = useState(false)
  useEffect(() => {
    setIsNewer(false)
    const look = async () => {
      if (document.visibilityState !== 'visible') return
      const { feeds } = await api.get('/feeds', { params: { query: { limit: 1 } } })
      setIsNewer((feeds[0]?.id ?? 0) > newest)
    }
    const quietly = () => void look().catch(() => {})
    const timer = setInterval(quietly, EVERY_MS)
    document.addEventListener('visibilitychange', quietly)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', quietly)
    }
  }, [newest])
  if (!isNewer) return null
  return (
    <p class="announced">
      <button
        type="button"
        class="button"
        onClick={() => {
          void cache.invalidateQueries({ queryKey: ['/feeds'], refetchType: 'none' })
          void onShow().then(({ error }) =>
            error ? fail(error) : scrollTo({ top: 0, behavior: scrollBehavior() }),
          )
        }}
      >
        <ArrowUp size={18} aria-hidden /> {t.new}
      </button>
    </p>
  )
}
