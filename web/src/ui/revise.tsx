import { useWords, words } from '../app/words.ts'
import { useDialogLater } from './dialog-later.ts'
import type { Revision } from './revise-dialog.tsx'

const WORDS = words({ edit: ['Edit', '编辑'] })

export function Revise(revision: Revision) {
  const t = useWords(WORDS)
  const { shown, open, close } = useDialogLater(() => import('./revise-dialog.tsx'))
  return (
    <>
      <button type="button" class="text-button" onClick={open}>
        {t.edit}
      </button>
      {shown && <shown.ReviseDialog {...revision} onClose={close} />}
    </>
  )
}
