import { Alert, Box, Button, MenuItem, Stack, TextField } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNotify, useRefresh } from 'react-admin'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useText } from '../../shell/text.ts'
import { Preview } from './preview.tsx'
import { KINDS, PERIODS, previewOf, SANCTION_KINDS, type SanctionKind } from './sanction-texts.ts'

export function SanctionForm({ user }: { user: number }) {
  const t = useText()
  const notify = useNotify()
  const refresh = useRefresh()
  const client = useQueryClient()
  const [fault, setFault] = useState('')
  const [kind, setKind] = useState<SanctionKind>('warning')
  const [period, setPeriod] = useState<number | 'other' | 'lasting'>(72)
  const [other, setOther] = useState('24')
  const [reason, setReason] = useState('')
  const hours =
    kind === 'warning' || period === 'lasting' ? null : period === 'other' ? Number(other) : period
  const preview = previewOf(kind, reason.trim(), hours)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setFault('')
    try {
      await call('POST', `/admin/users/${user}/sanctions`, {
        body: { kind, reason: reason.trim(), ...(hours === null ? {} : { hours }) },
      })
      setReason('')
      notify(t(['Sanction imposed. The user was notified.', '处罚已生效，并已通知该用户。']), {
        type: 'success',
      })
      refresh()
      await client.invalidateQueries({ queryKey: ['history', user] })
    } catch (refused) {
      setFault(messageOf(refused))
    }
  }
  return (
    <Box component="form" onSubmit={send} aria-label={t(['Sanction', '处罚'])} sx={{ mb: 2 }}>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={1}>
        <TextField
          select
          label={t(['Type', '类型'])}
          value={kind}
          onChange={(event) => setKind(event.target.value as SanctionKind)}
          sx={{ maxWidth: { sm: 150 } }}
        >
          {SANCTION_KINDS.map((name) => (
            <MenuItem key={name} value={name}>
              {t(KINDS[name])}
            </MenuItem>
          ))}
        </TextField>
        {kind !== 'warning' && (
          <TextField
            select
            label={t(['Duration', '期限'])}
            value={period}
            onChange={(event) => setPeriod(event.target.value as unknown as typeof period)}
            sx={{ maxWidth: { sm: 170 } }}
          >
            {PERIODS.map(({ hours, label }) => (
              <MenuItem key={hours} value={hours}>
                {t(label)}
              </MenuItem>
            ))}
            <MenuItem value="other">{t(['custom hours…', '自定义小时数…'])}</MenuItem>
            <MenuItem value="lasting">{t(['until lifted', '直至解除'])}</MenuItem>
          </TextField>
        )}
        {kind !== 'warning' && period === 'other' && (
          <TextField
            type="number"
            required
            label={t(['Hours', '小时数'])}
            value={other}
            onChange={(event) => setOther(event.target.value)}
            slotProps={{ htmlInput: { min: 1, max: 87_600, step: 1 } }}
            sx={{ maxWidth: { sm: 110 } }}
          />
        )}
        <TextField
          required
          label={t(['Reason', '理由'])}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          slotProps={{ htmlInput: { maxLength: 500 } }}
        />
        <Button
          type="submit"
          variant="contained"
          color="error"
          disabled={reason.trim() === ''}
          sx={{ flexShrink: 0 }}
        >
          {t(['Impose sanction', '执行处罚'])}
        </Button>
      </Stack>
      <Preview told={preview.told} effect={preview.effect} isEmpty={reason.trim() === ''} />
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
    </Box>
  )
}
