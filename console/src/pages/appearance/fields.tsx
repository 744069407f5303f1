import { SETTINGS } from 'virtual:settings'
import { Box, FormControlLabel, Switch, TextField, Typography } from '@mui/material'
import { type Text, useText } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'

export type Draft = { value(name: string): unknown; set(name: string, value: unknown): void }

export function TextSetting({
  draft,
  name,
  isLong = false,
  label,
  placeholder,
}: {
  draft: Draft
  name: string
  isLong?: boolean
  label?: Text
  placeholder?: string
}) {
  const t = useText()
  const known = settingText(name)
  return (
    <TextField
      label={t(label ?? known.label)}
      helperText={label ? undefined : t(known.help)}
      value={String(draft.value(name) ?? '')}
      onChange={({ target: { value } }) => draft.set(name, value === '' ? null : value)}
      multiline={isLong}
      minRows={isLong ? 2 : 1}
      maxRows={8}
      placeholder={placeholder ?? ''}
      slotProps={{ htmlInput: { maxLength: SETTINGS[name]?.maxLength, 'data-setting': name } }}
    />
  )
}

/** A text in general, and optionally one for each language. */
export function LanguagesField({
  draft,
  name,
  isLong = false,
  placeholder = '',
}: {
  draft: Draft
  name: string
  isLong?: boolean
  placeholder?: string
}) {
  const t = useText()
  const { label, help } = settingText(name)
  return (
    <Box component="fieldset" sx={{ border: 0, p: 0, m: 0, mb: 2 }}>
      <Typography component="legend" sx={{ fontWeight: 600, p: 0 }}>
        {t(label)}
      </Typography>
      <Typography variant="body2" color="textSecondary">
        {t(help)}
      </Typography>
      <TextSetting
        draft={draft}
        name={name}
        isLong={isLong}
        label={['In general', '通用']}
        placeholder={placeholder}
      />
      <Box sx={{ display: 'grid', gap: { xs: 0, sm: 2 }, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
        <TextSetting draft={draft} name={`${name}-en`} isLong={isLong} label={['In English', '英文']} />
        <TextSetting draft={draft} name={`${name}-zh`} isLong={isLong} label={['In Chinese', '中文']} />
      </Box>
    </Box>
  )
}

export function FlagField({ draft, name }: { draft: Draft; name: string }) {
  const t = useText()
  const { label, help } = settingText(name)
  return (
    <Box sx={{ my: 1 }}>
      <FormControlLabel
        control={
          <Switch
            checked={draft.value(name) === true}
            onChange={({ target: { checked } }) => draft.set(name, checked)}
          />
        }
        label={t(label)}
      />
      <Typography variant="body2" color="textSecondary">
        {t(help)}
      </Typography>
    </Box>
  )
}
