import { useState } from 'preact/hooks'
import { loadScript } from '../app/failures.ts'
import { useToast } from '../app/toast.tsx'

/** A dialog whose script loads when a person opens it. `shown` is its module while the dialog is open. */
export function useDialogLater<Module extends object>(load: () => Promise<Module>) {
  const { fail } = useToast()
  const [shown, setShown] = useState<Module | null>(null)
  return {
    shown,
    open: () => loadScript(load).then(setShown, fail),
    close: () => setShown(null),
  }
}
