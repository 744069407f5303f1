import type { Schema } from '@kith/client'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Pay } from '../../ui/pay.tsx'
import { PinDialog } from '../../ui/pin-dialog.tsx'
import { ReportDialog } from '../../ui/report-dialog.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'

const WORDS = words({
  repost: ['Repost', '转发'],
  say: ['Your comment (optional)', '说点什么（可选）'],
  reposted: ['Reposted.', '已转发。'],
  reward: ['Reward', '打赏'],
  amount: ['Points', '积分'],
})

export type Opened = 'repost' | 'reward' | 'pin' | 'report'

/** Dialogs of a feed's menu, which load when a reader opens one of them. */
export function FeedDialog({
  feed: { id },
  opened,
  onDone,
  onClose,
}: {
  feed: Schema<'Feed'>
  opened: Opened
  onDone(): void
  onClose(): void
}) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const params = { path: { feed: id } }
  if (opened === 'report')
    return (
      <ReportDialog
        place={`feed/${id}`}
        send={(reason) => api.post('/feeds/{feed}/reports', { params, body: { reason } })}
        onClose={onClose}
      />
    )
  if (opened === 'repost') return <Repost feed={id} onDone={onDone} onClose={onClose} />
  if (opened === 'pin')
    return (
      <PinDialog
        purpose={`feeds/${id}`}
        average={['/feeds/average', 'feed']}
        send={(body, headers) =>
          api.post('/feeds/{feed}/currency-pinneds', { params, body, headers } as never)
        }
        onDone={onDone}
        onClose={onClose}
      />
    )
  return (
    <Pay
      purpose={`reward/feeds/${id}`}
      title={t.reward}
      fields={[{ name: 'amount', label: t.amount, least: 1 }]}
      price={({ amount = 0 }) => amount}
      pay={({ amount, password, headers }) =>
        api.post('/feeds/{feed}/new-rewards', { params, body: { amount, ...password }, headers } as never)
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}

type Window = { feed: number; onDone(): void; onClose(): void }

function Repost({ feed, onDone, onClose }: Window) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say } = useToast()
  return (
    <Dialog title={t.repost} onClose={onClose}>
      <Form
        label={t.repost}
        draft={`repost/${feed}`}
        send={async ({ text = '' }, _form, mark) => {
          const body = {
            feed_content: text.trim() || t.repost,
            feed_from: 1,
            feed_mark: mark,
            repostable_type: 'feeds' as const,
            repostable_id: feed,
          }
          await api.post('/feeds', { body })
          say(t.reposted)
          onDone()
        }}
      >
        <WritingArea label={t.say} name="text" rows={3} maxLength={255} />
      </Form>
    </Dialog>
  )
}
