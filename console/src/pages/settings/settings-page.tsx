import { SETTINGS } from 'virtual:settings'
import { Box, Card, CardContent, MenuItem, MenuList, Skeleton, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Title } from 'react-admin'
import { Link, useLocation, useParams, useSearchParams } from 'react-router'
import { call, type Wire } from '../../api/client.ts'
import { Missing } from '../../shell/not-found.tsx'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { groupOf, SETTING_GROUPS } from './groups.ts'
import { SettingRow } from './setting-row.tsx'
import { settingWords } from './texts.ts'

const NAMES = Object.keys(SETTINGS)
const GROUPS = Object.keys(SETTING_GROUPS).filter((group) => NAMES.some((name) => groupOf(name) === group))

export function SettingsPage() {
  const t = useText()
  const client = useQueryClient()
  const { section = GROUPS[0] ?? '' } = useParams()
  const { hash } = useLocation()
  const [query, setQuery] = useSearchParams()
  const part = query.get('q') ?? ''
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: () => call<Wire>('GET', '/admin/settings'),
  })
  const target = decodeURIComponent(hash.slice(1))
  useEffect(() => {
    if (!data || !target) return
    const row = document.querySelector(`[data-setting="${CSS.escape(target)}"]`)
    row?.scrollIntoView({ block: 'center' })
    // Leaves the focus in an open dialog, where the user may be typing.
    if (!document.querySelector('[role=dialog]'))
      row?.querySelector<HTMLElement>('input, textarea, [role=combobox]')?.focus({ preventScroll: true })
  }, [data, target])
  if (!GROUPS.includes(section))
    return (
      <Missing
        text={['This section does not exist.', '此分组不存在。']}
        to="/settings"
        label={['Settings', '设置']}
      />
    )
  const wanted = part.trim().toLowerCase()
  const matches = NAMES.filter((name) => settingWords(name).toLowerCase().includes(wanted))
  const shown = wanted ? GROUPS.filter((group) => matches.some((name) => groupOf(name) === group)) : [section]
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 1200 }}>
      <Title title={`${t(['Settings', '设置'])} · ${t(SETTING_GROUPS[section] ?? ['', ''])}`} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Settings', '设置'])}
      </Typography>
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { xs: '1fr', md: '200px minmax(0, 1fr)' } }}>
        <Box>
          <TextField
            type="search"
            fullWidth
            label={t(['Search settings', '搜索设置'])}
            value={part}
            onChange={({ target: { value } }) => setQuery(value ? { q: value } : {}, { replace: true })}
            sx={{ mb: 1 }}
          />
          <Box component="nav" aria-label={t(['Sections', '分组'])}>
            <MenuList dense role="list" sx={{ display: 'flex', flexFlow: { xs: 'row wrap', md: 'column' } }}>
              {GROUPS.map((group) => (
                <Box component="li" key={group} sx={{ listStyle: 'none' }}>
                  <MenuItem
                    component={Link}
                    role="link"
                    to={`/settings/${group}`}
                    selected={!wanted && group === section}
                    aria-current={!wanted && group === section ? 'page' : undefined}
                    sx={{ borderRadius: 2 }}
                  >
                    {t(SETTING_GROUPS[group] ?? [group, group])}
                  </MenuItem>
                </Box>
              ))}
            </MenuList>
          </Box>
        </Box>
        <Box sx={{ minWidth: 0 }}>
          {error && <ErrorState error={error} retry={() => void refetch()} />}
          {isPending && <Skeleton variant="rounded" height={400} />}
          {data && shown.length === 0 && (
            <EmptyState text={['No matching settings.', '没有符合条件的设置。']} />
          )}
          {data &&
            shown.map((group) => {
              const label = SETTING_GROUPS[group] ?? ([group, group] as const)
              return (
                <Card key={group} component="section" aria-label={t(label)} sx={{ mb: 2 }}>
                  <CardContent>
                    <Typography variant="h6" component="h2" gutterBottom>
                      {t(label)}
                    </Typography>
                    {(wanted ? matches : NAMES)
                      .filter((name) => groupOf(name) === group)
                      .map((name) => (
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
      </Box>
    </Box>
  )
}
