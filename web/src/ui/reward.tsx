import { Coins } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useViewer } from '../app/site.ts'
import { useWords, words } from '../app/words.ts'
import { Pay } from './pay.tsx'
import { Action } from './toggle.tsx'

const WORDS = words({ reward: ['Reward', '打赏'], points: ['Points', '积分'] })

export function Reward({
  count,
  send,
  onDone,
}: {
  count: number
  send(body: { amount: number; password?: string }, headers: Record<string, string>): Promise<unknown>
  onDone(): void
}) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const [path, navigate] = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Action
        icon={Coins}
        kind="reward"
        label={t.reward}
        count={count}
        isOn={false}
        onClick={() => (viewer ? setIsOpen(true) : navigate(`/sign-in?next=${encodeURIComponent(path)}`))}
      />
      {isOpen && (
        <Pay
          title={t.reward}
          fields={[{ name: 'amount', label: t.points, least: 1 }]}
          price={({ amount = 1 }) => amount}
          pay={({ amount, password, headers }) => send({ amount, ...password }, headers)}
          onClose={() => setIsOpen(false)}
          onDone={() => {
            setIsOpen(false)
            onDone()
          }}
        />
      )}
    </>
  )
}
