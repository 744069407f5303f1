import {
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  MenuItem,
  TextField,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import type { Wire } from '../api/client.ts'
import { Preview } from '../pages/person/preview.tsx'
import { isComposing } from '../shell/keys.ts'
import { useText } from '../shell/text.ts'
import type { Detail, Verdict } from './queue.ts'

export function ReasonDialog({
  verdict,
  row,
  close,
  decide,
}: {
  verdict: Verdict
  row: Wire
  close(): void
  decide(reason: string, given: Wire): void
}) {
  const t = useText()
  const [reason, setReason] = useState(verdict.reason?.from?.(row) ?? '')
  const [given, setGiven] = useState<Wire>({})
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const details = (verdict.details ?? []).filter(
    ({ operation, when }) =>
      (operation === undefined || (mine !== undefined && mayCall(mine, operation))) &&
      (when?.(given, row) ?? true),
  )
  const isMissing =
    (verdict.reason?.required === true && reason.trim() === '') ||
    details.some(({ name, required }) => required && String(given[name] ?? '').trim() === '')
  const preview = verdict.preview?.(given)
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="reason-title">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing) decide(reason.trim(), given)
        }}
      >
        <DialogTitle id="reason-title">{t(verdict.label)}</DialogTitle>
        <DialogContent>
          {details.map((detail) => (
            <DetailInput
              key={detail.name}
              detail={detail}
              value={given[detail.name]}
              change={(value) => setGiven((now) => ({ ...now, [detail.name]: value }))}
            />
          ))}
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
              if (event.key === 'Enter' && !event.shiftKey && !isComposing(event.nativeEvent)) {
                event.preventDefault()
                event.currentTarget.closest('form')?.requestSubmit()
              }
            }}
            slotProps={{ htmlInput: { maxLength: 250 } }}
          />
          {preview && <Preview {...preview} isEmpty={false} />}
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

function DetailInput({
  detail: { label, as, choices = [], required = false },
  value,
  change,
}: {
  detail: Detail
  value: unknown
  change(value: unknown): void
}) {
  const t = useText()
  if (as === 'flag')
    return (
      <FormControlLabel
        control={<Checkbox checked={value === true} onChange={(event) => change(event.target.checked)} />}
        label={t(label)}
      />
    )
  return (
    <TextField
      select={as === 'choice'}
      type={as === 'number' ? 'number' : 'text'}
      label={t(label)}
      required={required}
      value={value ?? ''}
      onChange={(event) => change(event.target.value)}
      {...(as === 'number'
        ? { slotProps: { htmlInput: { min: 1, max: 87_600, step: 1 } } }
        : as === 'text'
          ? { slotProps: { htmlInput: { maxLength: 500 } } }
          : {})}
    >
      {as === 'choice' &&
        choices.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {t(name)}
          </MenuItem>
        ))}
    </TextField>
  )
}
