import { Coins } from 'lucide-preact'
import { useLocation } from 'wouter-preact'
import { useViewer } from '../app/site.ts'
import { useWords, words } from '../app/words.ts'
import { useDialogLater } from './dialog-later.ts'
import { Action } from './toggle.tsx'

const WORDS = words({ reward: ['Reward', '打赏'], points: ['Points', '积分'] })

export function Reward({
  purpose,
  count,
  send,
  onDone,
}: {
  /** Names what is rewarded, as in `feeds/5`. */
  purpose: string
  count: number
  send(body: { amount: number; password?: string }, headers: Record<string, string>): Promise<unknown>
  onDone(): void
}) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const [path, navigate] = useLocation()
  const { shown, open, close } = useDialogLater(() => import('./pay.tsx'))
  return (
    <>
      <Action
        icon={Coins}
        kind="reward"
        label={t.reward}
        count={count}
        isOn={false}
        onClick={() => (viewer ? open() : navigate(`/sign-in?next=${encodeURIComponent(path)}`))}
      />
      {shown && (
        <shown.Pay
          purpose={`reward/${purpose}`}
          title={t.reward}
          fields={[{ name: 'amount', label: t.points, least: 1 }]}
          price={({ amount = 1 }) => amount}
          pay={({ amount, password, headers }) => send({ amount, ...password }, headers)}
          onClose={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      )}
    </>
  )
}
