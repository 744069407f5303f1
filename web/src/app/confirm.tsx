import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.tsx'

type Confirm = (question: string, action: string) => Promise<boolean>

const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

export function ConfirmProvider({ url, children }: { url: string; children: ComponentChildren }) {
  const [asked, setAsked] = useState<{ question: string; action: string; answer(isSure: boolean): void }>()
  const confirm = useCallback<Confirm>(
    (question, action) => new Promise((answer) => setAsked({ question, action, answer })),
    [],
  )
  const close = (isSure: boolean) => {
    setAsked(undefined)
    asked?.answer(isSure)
  }
  // The question is about the page on which it was asked.
  useEffect(() => close(false), [url])
  return (
    <ConfirmContext.Provider value={confirm}>
      {children}
      {asked && (
        <Dialog title={asked.question} onClose={() => close(false)} isQuestion>
          <button type="button" class="button is-danger" onClick={() => close(true)}>
            {asked.action}
          </button>
        </Dialog>
      )}
    </ConfirmContext.Provider>
  )
}

/** Asks whether to do something that cannot be undone. `action` is the text of the button that agrees. */
export const useConfirm = (): Confirm => useContext(ConfirmContext)
