import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Given = { text: string; label: string }

export function Code(given: Given) {
  const [Drawn, setDrawn] = useState<ComponentType<Given>>()
  useEffect(() => void import('./qr.tsx').then(({ Qr }) => setDrawn(() => Qr)), [])
  return <div class="qr">{Drawn && <Drawn {...given} />}</div>
}
