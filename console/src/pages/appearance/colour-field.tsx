import { Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useState } from 'react'
import { useText } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'
import { isColour, STANDARD, useColours } from './colours.ts'
import type { Draft } from './fields.tsx'

const NAME = 'site:accent'

export function ColourField({ draft }: { draft: Draft }) {
  const t = useText()
  const { label, help } = settingText(NAME)
  const value = draft.value(NAME) as string | null
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => setTyped(value ?? ''), [value])
  const colours = useColours(value ?? STANDARD)
  const set = (text: string) => {
    setTyped(text)
    if (text === '' || isColour(text)) draft.set(NAME, text === '' ? null : text.toLowerCase())
  }
  const corrected = Object.entries(colours ?? {}).filter(
    ([, { accent }]) => value !== null && accent !== value.toLowerCase(),
  )
  return (
    <>
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center', flexWrap: 'wrap' }} useFlexGap>
        <Box
          component="input"
          type="color"
          aria-label={t(['Choose a colour', '选择颜色'])}
          value={value ?? STANDARD}
          onChange={({ target }: { target: HTMLInputElement }) => set(target.value)}
          sx={{ width: 56, height: 40, p: 0.25, border: 1, borderColor: 'divider', borderRadius: 1 }}
        />
        <TextField
          label={t(label)}
          value={typed}
          placeholder={STANDARD}
          error={typed !== '' && !isColour(typed)}
          onChange={({ target }) => set(target.value.trim())}
          slotProps={{ htmlInput: { maxLength: 7, 'data-setting': NAME } }}
          sx={{ width: 160 }}
          fullWidth={false}
        />
        {value !== null && <Button onClick={() => set('')}>{t(['Reset', '恢复默认'])}</Button>}
      </Stack>
      <Typography variant="body2" color="textSecondary">
        {t(help)}
      </Typography>
      {corrected.length > 0 && (
        <Typography variant="body2" role="status" sx={{ mt: 1 }}>
          {t(['Corrected for readable text:', '为保证文字清晰，已调整：'])}{' '}
          {corrected
            .map(([theme, { accent }]) =>
              t(
                theme === 'light'
                  ? [`light ${accent}`, `浅色 ${accent}`]
                  : [`dark ${accent}`, `深色 ${accent}`],
              ),
            )
            .join(t([', ', '，']))}
        </Typography>
      )}
    </>
  )
}
