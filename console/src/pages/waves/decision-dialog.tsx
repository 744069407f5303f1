import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, TextField } from '@mui/material'
import { useState } from 'react'
import { plural, type Text, useText } from '../../shell/text.ts'
import type { Wave } from './wave-page.tsx'

export type WaveDeed = 'disable' | 'delete' | 'undo'

const TITLES: Record<WaveDeed, (accounts: number) => Text> = {
  disable: (accounts) => [`Disable ${plural(accounts, 'account')}`, `停用 ${accounts} 个账号`],
  delete: (accounts) => [
    `Delete ${plural(accounts, 'account')} with their content`,
    `删除 ${accounts} 个账号及其内容`,
  ],
  undo: () => ['Undo the wave', '撤销批次'],
}

const effectOf = (deed: WaveDeed, wave: Wave): Text => {
  if (deed === 'disable')
    return [
      'The people are signed out, and their follows disappear. Their content stays without an author. You can undo this.',
      '这些用户会退出登录，其关注关系不再显示，内容保留但不显示作者。可以撤销。',
    ]
  if (deed === 'undo')
    return [
      'The accounts that this wave disabled are enabled, and their follows return. Accounts with a later decision stay disabled.',
      '由本批次停用的账号会恢复，关注关系一并恢复。之后另有处理的账号保持停用。',
    ]
  return wave.undoable
    ? [
        'The accounts are disabled now, and deleted with their content after the waiting time of deletions. Until then you can undo this.',
        '账号将立即停用，并在注销等待期过后连同内容一并删除。在此之前可以撤销。',
      ]
    : [
        'This site has no waiting time: the deletion begins at once and cannot be undone.',
        '本站未设置等待期：删除将立即开始，且无法撤销。',
      ]
}

export function DecisionDialog({
  deed,
  wave,
  close,
  send,
}: {
  deed: WaveDeed
  wave: Wave
  close(): void
  send(reason: string): Promise<void>
}) {
  const t = useText()
  const [reason, setReason] = useState('')
  const [isSending, setSending] = useState(false)
  const title = t(TITLES[deed](wave.accounts))
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="wave-title">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() === '' || isSending) return
          setSending(true)
          void send(reason.trim()).finally(() => setSending(false))
        }}
      >
        <DialogTitle id="wave-title">{title}</DialogTitle>
        <DialogContent>
          <Alert severity={deed === 'delete' ? 'error' : 'info'} sx={{ mb: 2 }}>
            {t(effectOf(deed, wave))}
          </Alert>
          <TextField
            autoFocus
            required
            fullWidth
            multiline
            minRows={2}
            maxRows={8}
            label={t(['Reason, for the audit log', '理由（记入操作日志）'])}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            slotProps={{ htmlInput: { maxLength: 1000 } }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>{t(['Cancel', '取消'])}</Button>
          <Button
            type="submit"
            variant="contained"
            color={deed === 'delete' ? 'error' : 'primary'}
            disabled={reason.trim() === '' || isSending}
          >
            {title}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
