import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { failureOf } from './api.ts'
import { useWords, words } from './words.ts'

const WORDS = words({
  offline: ['No connection. Nothing was lost. Try again.', '网络连接失败，内容未丢失，请重试。'],
})

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
  const t = useWords(WORDS)
  return {
    say: (text: string) => show(text),
    fail: (error: unknown) => show(failureOf(error, t.offline), true),
  }
}
