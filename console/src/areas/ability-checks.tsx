import { Box, Checkbox, FormControlLabel, FormGroup, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { useGetList, useInput } from 'react-admin'
import { useText } from '../shell/text.ts'
import { abilityText } from './ability-texts.ts'

export function AbilityChecks({ source, label }: { source: string; label: string }) {
  const t = useText()
  const { field } = useInput({ source, defaultValue: [] })
  const [part, setPart] = useState('')
  const { data = [] } = useGetList('abilities', {
    pagination: { page: 1, perPage: 100 },
    sort: { field: 'name', order: 'ASC' },
  })
  const chosen = new Set<string>(field.value ?? [])
  const toggle = (name: string) =>
    field.onChange(chosen.has(name) ? [...chosen].filter((each) => each !== name) : [...chosen, name])
  const matching = data
    .map(({ name, display_name: shown }) => ({ name, shown: t(abilityText(name, shown ?? '')) }))
    .filter(({ name, shown }) => `${name} ${shown}`.toLowerCase().includes(part.toLowerCase()))
  return (
    <Box
      component="fieldset"
      sx={{ border: 1, borderColor: 'divider', borderRadius: 2, p: 2, width: '100%', minWidth: 0 }}
    >
      <Typography component="legend" variant="subtitle2" sx={{ px: 1 }}>
        {label} ·{' '}
        {t([`${chosen.size} of ${data.length} selected`, `已选 ${chosen.size} / ${data.length} 项`])}
      </Typography>
      <TextField
        label={t(['Search', '搜索'])}
        value={part}
        onChange={(event) => setPart(event.target.value)}
        sx={{ mb: 1 }}
      />
      <FormGroup sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(240px, 1fr))' }}>
        {matching.map(({ name, shown }) => (
          <FormControlLabel
            key={name}
            control={<Checkbox size="small" checked={chosen.has(name)} onChange={() => toggle(name)} />}
            label={shown}
          />
        ))}
      </FormGroup>
    </Box>
  )
}
