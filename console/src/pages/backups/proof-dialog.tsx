import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  TextField,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { type Text, useText } from '../../shell/text.ts'

/** Asks for the password, or for a code of the authenticator app when the account has one. */
export function ProofDialog({
  title,
  text,
  action,
  tone = 'primary',
  close,
  send,
}: {
  title: Text
  text: Text
  action: Text
  tone?: 'primary' | 'error'
  close(): void
  send(proof: Wire): Promise<void>
}) {
  const t = useText()
  const [fault, setFault] = useState('')
  const [isSending, setSending] = useState(false)
  const { data: factor } = useQuery({
    queryKey: ['second-factor'],
    queryFn: () => call<{ enabled: boolean }>('GET', '/user/second-factor'),
  })
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget).get('given'))
    setFault('')
    setSending(true)
    try {
      await send(factor?.enabled ? { second_factor: given } : { password: given })
      close()
    } catch (refused) {
      setFault(messageOf(refused))
      setSending(false)
    }
  }
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="proof-title">
      <form onSubmit={(event) => void submit(event)}>
        <DialogTitle id="proof-title">{t(title)}</DialogTitle>
        <DialogContent>
          <DialogContentText gutterBottom>{t(text)}</DialogContentText>
          {factor && (
            <TextField
              autoFocus
              required
              fullWidth
              margin="dense"
              name="given"
              {...(factor.enabled
                ? { label: t(['Authenticator code', '动态码']), autoComplete: 'one-time-code' }
                : {
                    label: t(['Your password', '您的密码']),
                    type: 'password',
                    autoComplete: 'current-password',
                  })}
              slotProps={{ htmlInput: { maxLength: 128 } }}
            />
          )}
          <div role="alert">{fault && <Alert severity="error">{fault}</Alert>}</div>
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>{t(['Cancel', '取消'])}</Button>
          <Button type="submit" variant="contained" color={tone} disabled={isSending || !factor}>
            {t(action)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
