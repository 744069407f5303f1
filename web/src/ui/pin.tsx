import { useWords, words } from '../app/words.ts'
import { useDialogLater } from './dialog-later.ts'
import type { Pinning } from './pin-dialog.tsx'

const WORDS = words({ pin: ['Pin', '置顶'] })

export function Pin(pinning: Pinning) {
  const t = useWords(WORDS)
  const { shown, open, close } = useDialogLater(() => import('./pin-dialog.tsx'))
  return (
    <>
      <button type="button" class="text-button" onClick={open}>
        {t.pin}
      </button>
      {shown && (
        <shown.PinDialog
          {...pinning}
          onDone={() => {
            close()
            pinning.onDone()
          }}
          onClose={close}
        />
      )}
    </>
  )
}
