import {
  Box,
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControlLabel,
  FormGroup,
} from '@mui/material'
import { useState } from 'react'
import type { Wire } from '../api/client.ts'
import { plural, useText } from '../shell/text.ts'
import type { Queue, VerdictName } from './queue.ts'

export function Several({
  queue,
  rows,
  close,
  begin,
}: {
  queue: Queue
  rows: Wire[]
  close(): void
  begin(name: VerdictName, chosen: Wire[]): void
}) {
  const t = useText()
  const [chosen, setChosen] = useState<ReadonlySet<unknown>>(new Set())
  const picked = rows.filter(({ id }) => chosen.has(id))
  const toggle = (id: unknown) =>
    setChosen((now) =>
      now.has(id) ? new Set([...now].filter((each) => each !== id)) : new Set([...now, id]),
    )
  const isAll = picked.length === rows.length
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="several-title">
      <DialogTitle id="several-title">{t(['Decide on several items', '批量处理'])}</DialogTitle>
      <DialogContent>
        <FormControlLabel
          control={
            <Checkbox
              checked={isAll}
              indeterminate={picked.length > 0 && !isAll}
              onChange={() => setChosen(isAll ? new Set() : new Set(rows.map(({ id }) => id)))}
            />
          }
          label={t([`Select all (${plural(rows.length, 'item')})`, `全选 ${rows.length} 项`])}
        />
        <FormGroup sx={{ pl: 2 }}>
          {rows.map((row) => (
            <FormControlLabel
              key={String(row.id)}
              control={<Checkbox checked={chosen.has(row.id)} onChange={() => toggle(row.id)} />}
              label={<Box sx={{ overflowWrap: 'anywhere' }}>{queue.title(row) || `#${row.id}`}</Box>}
            />
          ))}
        </FormGroup>
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>{t(['Cancel', '取消'])}</Button>
        <Button color="error" disabled={picked.length === 0} onClick={() => begin('reject', picked)}>
          {t(queue.reject.label)} ({picked.length})
        </Button>
        <Button
          variant="contained"
          // Disables the acceptance of several items when each needs a separate text, such as the reference
          // of a payment.
          disabled={picked.length === 0 || queue.accept.reason?.required === true}
          onClick={() => begin('accept', picked)}
        >
          {t(queue.accept.label)} ({picked.length})
        </Button>
      </DialogActions>
    </Dialog>
  )
}
