import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { useFailureText } from './failures.ts'

const ToastContext = createContext<(text: string, isFailure?: boolean) => void>(() => {})

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toast, setToast] = useState<{ text: string; isFailure: boolean } | null>(null)
  useEffect(() => {
    if (!toast) return
    const timer = setTimeout(() => setToast(null), toast.isFailure ? 8_000 : 4_000)
    return () => clearTimeout(timer)
  }, [toast])
  const show = useCallback((text: string, isFailure = false) => setToast({ text, isFailure }), [])
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toast && <p class={toast.isFailure ? 'toast is-failure' : 'toast'}>{toast.text}</p>}
      </div>
    </ToastContext.Provider>
  )
}

export function useToast() {
  const show = useContext(ToastContext)
  const textOf = useFailureText()
  return {
    say: (text: string) => show(text),
    fail: (error: unknown) => show(textOf(error), true),
  }
}
