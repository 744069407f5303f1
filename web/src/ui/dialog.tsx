import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useWords, words } from '../app/words.ts'

const WORDS = words({ cancel: ['Cancel', '取消'] })

/** A modal window. Returns the focus to the element that had it. `isQuestion` puts the focus on the button to cancel. */
export function Dialog({
  title,
  onClose,
  isQuestion = false,
  children,
}: {
  title: string
  onClose(): void
  isQuestion?: boolean
  children: ComponentChildren
}) {
  const t = useWords(WORDS)
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const isRemoved = useRef(false)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    if (isQuestion) cancel.current?.focus()
    return () => {
      isRemoved.current = true
      // A dialog that is removed without closing does not return the focus.
      current?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      role={isQuestion ? 'alertdialog' : undefined}
      aria-label={title}
      onClose={() => isRemoved.current || onClose()}
    >
      <div class="settings">
        <h2>{title}</h2>
        {children}
        <button type="button" class="text-button" ref={cancel} onClick={() => dialog.current?.close()}>
          {t.cancel}
        </button>
      </div>
    </dialog>
  )
}
