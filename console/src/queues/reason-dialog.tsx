import { Button, Dialog, DialogActions, DialogContent, DialogTitle, TextField } from '@mui/material'
import { useState } from 'react'
import type { Wire } from '../api/client.ts'
import { useText } from '../shell/text.ts'
import type { Verdict } from './queue.ts'

/** Asks for the text that goes with a decision. */
export function ReasonDialog({
  verdict,
  row,
  close,
  decide,
}: {
  verdict: Verdict
  row: Wire
  close(): void
  decide(reason: string): void
}) {
  const t = useText()
  const [reason, setReason] = useState(verdict.reason?.from?.(row) ?? '')
  const isMissing = verdict.reason?.required === true && reason.trim() === ''
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="reason-title">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing) decide(reason.trim())
        }}
      >
        <DialogTitle id="reason-title">{t(verdict.label)}</DialogTitle>
        <DialogContent>
          <TextField
            autoFocus
            multiline
            minRows={2}
            maxRows={8}
            label={t(verdict.reason?.label ?? ['Reason', '理由'])}
            required={verdict.reason?.required ?? false}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault()
                event.currentTarget.closest('form')?.requestSubmit()
              }
            }}
            slotProps={{ htmlInput: { maxLength: 250 } }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>{t(['Cancel', '取消'])}</Button>
          <Button type="submit" variant="contained" disabled={isMissing}>
            {t(verdict.label)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
