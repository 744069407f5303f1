import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadScript, useFailureText } from '../app/failures.ts'

type Given = { text: string; label: string }

export function Code(given: Given) {
  const textOf = useFailureText()
  const [Drawn, setDrawn] = useState<ComponentType<Given>>()
  const [error, setError] = useState<unknown>()
  useEffect(
    () => void loadScript(() => import('./qr.tsx')).then(({ Qr }) => setDrawn(() => Qr), setError),
    [],
  )
  if (error !== undefined) return <p class="failure">{textOf(error)}</p>
  return <div class="qr">{Drawn && <Drawn {...given} />}</div>
}
