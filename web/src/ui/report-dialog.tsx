import { useToast } from '../app/toast.tsx'
import { useWords, words } from '../app/words.ts'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

const WORDS = words({
  report: ['Report', '举报'],
  reason: ['Reason for the report', '举报原因'],
  reported: ['Thank you for the report. Moderators will review it.', '感谢举报，管理员会尽快处理。'],
})

export type Reporting = {
  /** Place of the reported content in the drafts, such as `answer/5`. */
  place: string
  send(reason: string): Promise<unknown>
}

export function ReportDialog({ place, send, onClose }: Reporting & { onClose(): void }) {
  const t = useWords(WORDS)
  const { say } = useToast()
  return (
    <Dialog title={t.report} onClose={onClose}>
      <Form
        label={t.report}
        draft={`report/${place}`}
        send={async ({ reason = '' }) => {
          await send(reason)
          onClose()
          say(t.reported)
        }}
      >
        <label>
          {t.reason}
          <textarea dir="auto" name="reason" rows={3} maxLength={255} required />
        </label>
      </Form>
    </Dialog>
  )
}
