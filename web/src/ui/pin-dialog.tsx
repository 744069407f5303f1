import { useEffect } from 'preact/hooks'
import { read, useRead } from '../app/api.ts'
import { useToast } from '../app/toast.tsx'
import { plural, useWords, words } from '../app/words.ts'
import { Pay } from './pay.tsx'

const WORDS = words({
  days: ['Days', '天数'],
  daily: ['Points per day', '每天积分'],
  average: [
    (points: number) => `Pin (average price: ${plural(points, 'point')} per day)`,
    (points: number) => `置顶（平均每天 ${points} 积分）`,
  ],
})

export type Pinning = {
  /** Names what is pinned, as in `feeds/5`. */
  purpose: string
  average: ['/feeds/average' | '/news/average' | '/plus-group/average', string]
  send(
    body: { amount: number; day: number; password?: string },
    headers: Record<string, string>,
  ): Promise<unknown>
  onDone(): void
}

export function PinDialog({
  purpose,
  average: [path, kind],
  send,
  onDone,
  onClose,
}: Pinning & { onClose(): void }) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  const { data: average, error } = useRead<Record<string, number>>(read(path) as never)
  useEffect(() => {
    if (!error) return
    fail(error)
    onClose()
  }, [error])
  if (!average) return null
  const daily = Math.max(1, Math.round(average[kind] ?? 1))
  return (
    <Pay
      purpose={`pin/${purpose}`}
      title={t.average(daily)}
      fields={[
        { name: 'day', label: t.days, least: 1 },
        { name: 'daily', label: t.daily, least: 1, start: daily },
      ]}
      price={({ day = 0, daily: each = 0 }) => day * each}
      pay={({ amount, given, password, headers }) =>
        send({ amount, day: Number(given.day), ...password }, headers)
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}
