import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWords, words } from '../app/words.ts'

const WORDS = words({ cancel: ['Cancel', '取消'] })

export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) {
  const t = useWords(WORDS)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose}>
      <div class="settings">
        <h2>{title}</h2>
        {children}
        <button type="button" class="text-button" onClick={() => dialog.current?.close()}>
          {t.cancel}
        </button>
      </div>
    </dialog>
  )
}
