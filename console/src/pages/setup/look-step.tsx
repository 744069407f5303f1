import { Alert, Box, Button, TextField, Link as TextLink, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { SITE_QUERY, useSiteHead } from '../../shell/site-name.ts'
import { useText } from '../../shell/text.ts'
import { ColourField } from '../appearance/colour-field.tsx'
import type { StepProps } from './setup-page.tsx'
import { useSetup } from './steps.ts'

export function LookStep({ done }: StepProps) {
  const t = useText()
  const client = useQueryClient()
  const { settings = {} } = useSetup()
  const head = useSiteHead()
  const [changes, setChanges] = useState<Record<string, unknown>>({})
  const [fault, setFault] = useState('')
  const draft = {
    value: (name: string) => (name in changes ? changes[name] : settings[name]),
    set: (name: string, value: unknown) => setChanges((known) => ({ ...known, [name]: value })),
  }
  const save = async () => {
    try {
      await call('PATCH', '/admin/settings', { body: changes })
      await client.fetchQuery(SITE_QUERY)
      await done()
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  const text = (name: string, label: readonly [string, string]) => (
    <TextField
      label={t(label)}
      value={String(draft.value(name) ?? '')}
      {...(name === 'site:name' ? { placeholder: head.name } : {})}
      onChange={({ target: { value } }) => draft.set(name, value === '' ? null : value)}
      slotProps={{ htmlInput: { maxLength: name === 'site:name' ? 40 : 200 } }}
    />
  )
  return (
    <>
      {text('site:name', ['Name of the site', '站点名称'])}
      {text('site:description', ['One sentence about it', '一句话简介'])}
      <Box sx={{ my: 2 }}>
        <ColourField draft={draft} />
      </Box>
      <Typography variant="body2" gutterBottom>
        {t(['Logo, icon and more texts are on the page', '标志、图标及更多文字请前往'])}{' '}
        <TextLink component={Link} to="/appearance">
          {t(['Appearance', '外观'])}
        </TextLink>
        {t(['.', '页面。'])}
      </Typography>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Button variant="contained" onClick={() => void save()}>
        {t(['Save and continue', '保存并继续'])}
      </Button>
    </>
  )
}
