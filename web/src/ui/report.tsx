import { useViewer } from '../app/site.ts'
import { useWords, words } from '../app/words.ts'
import { useDialogLater } from './dialog-later.ts'
import type { Reporting } from './report-dialog.tsx'

const WORDS = words({ report: ['Report', '举报'] })

export function Report(reporting: Reporting) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const { shown, open, close } = useDialogLater(() => import('./report-dialog.tsx'))
  if (!viewer) return null
  return (
    <>
      <button type="button" class="text-button" onClick={open}>
        {t.report}
      </button>
      {shown && <shown.ReportDialog {...reporting} onClose={close} />}
    </>
  )
}
