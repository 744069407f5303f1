import { Alert, Box, Button, FormControlLabel, Radio, RadioGroup, Typography } from '@mui/material'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useText } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'
import type { StepProps } from './setup-page.tsx'
import { useSetup } from './steps.ts'

const MODES = ['all', 'invited', 'approval', 'closed'] as const

export function JoinStep({ done }: StepProps) {
  const t = useText()
  const { settings = {} } = useSetup()
  const [chosen, setChosen] = useState<string>()
  const [fault, setFault] = useState('')
  const { choices = {} } = settingText('register:type')
  const mode = chosen ?? String(settings['register:type'] ?? 'all')
  const save = async () => {
    try {
      await call('PATCH', '/admin/settings', { body: { 'register:type': mode } })
      await done()
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  return (
    <>
      <Typography color="textSecondary" id="who-may-join">
        {t(['You can change this at any time in the settings.', '之后可随时在设置中修改。'])}
      </Typography>
      <RadioGroup aria-labelledby="who-may-join" value={mode} onChange={(_, value) => setChosen(value)}>
        {MODES.map((each) => (
          <FormControlLabel
            key={each}
            value={each}
            control={<Radio />}
            label={t(choices[each] ?? [each, each])}
          />
        ))}
      </RadioGroup>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Button variant="contained" onClick={() => void save()}>
        {t(['Save and continue', '保存并继续'])}
      </Button>
    </>
  )
}
