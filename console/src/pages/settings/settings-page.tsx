import { SETTINGS } from 'virtual:contract'
import { Box, Card, CardContent, Skeleton, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Title } from 'react-admin'
import { call, type Wire } from '../../api/client.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { SettingRow } from './setting-row.tsx'
import { SETTING_GROUPS, SETTING_TEXTS } from './texts.ts'

const groupOf = (name: string) => {
  const [first = ''] = name.split(':')
  return first in SETTING_GROUPS ? first : 'other'
}

/** Every setting of the registry: its value in force, what it does, and the way back. */
export function SettingsPage() {
  const t = useText()
  const client = useQueryClient()
  const [part, setPart] = useState('')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: () => call<Wire>('GET', '/admin/settings'),
  })
  const wanted = part.trim().toLowerCase()
  const names = Object.keys(SETTINGS).filter((name) => {
    const { label, note } = SETTING_TEXTS[name] ?? { label: [name, name], note: ['', ''] }
    return [name, ...label, ...note].join(' ').toLowerCase().includes(wanted)
  })
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 960 }}>
      <Title title={t(['Settings', '设置'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Settings', '设置'])}
      </Typography>
      <TextField
        type="search"
        label={t(['Search among settings', '搜索设置'])}
        value={part}
        onChange={(event) => setPart(event.target.value)}
        sx={{ mb: 2 }}
      />
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={400} />}
      {data && names.length === 0 && <EmptyState text={['No setting matches.', '没有符合条件的设置。']} />}
      {data &&
        Object.entries(SETTING_GROUPS).map(([group, label]) => {
          const members = names.filter((name) => groupOf(name) === group)
          if (members.length === 0) return null
          return (
            <Card key={group} component="section" aria-label={t(label)} sx={{ mb: 2 }}>
              <CardContent>
                <Typography variant="h6" component="h2" gutterBottom>
                  {t(label)}
                </Typography>
                {members.map((name) => (
                  <SettingRow
                    key={name}
                    name={name}
                    value={data[name]}
                    schema={SETTINGS[name]!}
                    saved={(value) =>
                      client.setQueryData<Wire>(['settings'], (known) => ({ ...known, [name]: value }))
                    }
                  />
                ))}
              </CardContent>
            </Card>
          )
        })}
    </Box>
  )
}
