import { useState } from 'preact/hooks'
import { read, useRead } from '../app/api.ts'
import { plural, useWords, words } from '../app/words.ts'
import { Pay } from './pay.tsx'

const WORDS = words({
  pin: ['Pin', '置顶'],
  days: ['Days', '天数'],
  daily: ['Points per day', '每天积分'],
  average: [
    (points: number) => `Pin (average price: ${plural(points, 'point')} per day)`,
    (points: number) => `置顶（平均每天 ${points} 积分）`,
  ],
})

type Pinning = {
  average: ['/feeds/average' | '/news/average' | '/plus-group/average', string]
  send(
    body: { amount: number; day: number; password?: string },
    headers: Record<string, string>,
  ): Promise<unknown>
  onDone(): void
}

export function PinDialog({ average: [path, kind], send, onDone, onClose }: Pinning & { onClose(): void }) {
  const t = useWords(WORDS)
  const { data: average } = useRead<Record<string, number>>(read(path) as never)
  if (!average) return null
  const daily = Math.max(1, Math.round(average[kind] ?? 1))
  return (
    <Pay
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

export function Pin(pinning: Pinning) {
  const t = useWords(WORDS)
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" class="text-button" onClick={() => setIsOpen(true)}>
        {t.pin}
      </button>
      {isOpen && (
        <PinDialog
          {...pinning}
          onDone={() => {
            setIsOpen(false)
            pinning.onDone()
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
