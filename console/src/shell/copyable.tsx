import ContentCopy from '@mui/icons-material/ContentCopyOutlined'
import { IconButton } from '@mui/material'
import type { ReactNode } from 'react'
import { useNotify } from 'react-admin'
import { useText } from './text.ts'

export function Copyable({ text, label, children }: { text: string; label: string; children: ReactNode }) {
  const t = useText()
  const notify = useNotify()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      notify(t([`Copied: ${text}`, `已复制：${text}`]), { type: 'info' })
    } catch {
      // Browsers allow clipboard access only on secure origins.
      notify(t([`Copy manually: ${text}`, `请手动复制：${text}`]), { type: 'warning' })
    }
  }
  return (
    <>
      {children}{' '}
      <IconButton
        size="small"
        aria-label={t([`Copy: ${label}`, `复制：${label}`])}
        onClick={() => void copy()}
        sx={{ my: -0.5 }}
      >
        <ContentCopy sx={{ fontSize: 16 }} />
      </IconButton>
    </>
  )
}
