import { SETTINGS } from 'virtual:settings'
import { Autocomplete, Box, Dialog, TextField } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useNavigate } from 'react-router'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import { call, type Page, type Wire } from '../api/client.ts'
import { settingPath } from '../pages/settings/groups.ts'
import { settingText, settingWords } from '../pages/settings/texts.ts'
import { isComposing } from './keys.ts'
import { entriesFor, HOME } from './navigation.ts'
import { useText } from './text.ts'

type Command = { to: string; label: string; group: string; words: string }

export function Palette({ close }: { close(): void }) {
  const t = useText()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const maySeePeople = mine !== undefined && mayCall(mine, 'get users')
  const people = useQuery({
    queryKey: ['palette', q],
    queryFn: () => call<Page<Wire>>('GET', '/admin/users', { query: { q, limit: 8 } }),
    enabled: maySeePeople && q.length > 0,
    staleTime: 30_000,
    retry: false,
  })
  if (!mine) return null
  const pages: Command[] = [
    { to: HOME.to, label: t(HOME.label), group: t(['Pages', '页面']), words: HOME.label.join(' ') },
    ...entriesFor(mine).flatMap((job) =>
      job.entries.map(({ to, label }) => ({
        to,
        label: t(label),
        group: t(job.label),
        words: [...label, ...job.label].join(' '),
      })),
    ),
    {
      to: '/account',
      label: t(['My account', '我的账号']),
      group: t(['Pages', '页面']),
      words: 'My account 我的账号',
    },
  ]
  const settings: Command[] = mayCall(mine, 'get settings')
    ? Object.keys(SETTINGS).map((name) => ({
        to: settingPath(name),
        label: t(settingText(name).label),
        group: t(['Settings', '设置']),
        words: settingWords(name),
      }))
    : []
  const found: Command[] = (people.data?.data ?? []).map((row) => ({
    to: `/people/${row.id}/show`,
    label: String(row.name),
    group: t(['Users', '用户']),
    // Uses the query as the search text of each user that the server found. Otherwise the palette would drop
    // users whom the server found by an earlier name.
    words: q,
  }))
  const options = q === '' ? pages : [...pages, ...settings, ...found]
  return (
    <Dialog
      open
      onClose={close}
      fullWidth
      maxWidth="sm"
      aria-label={t(['Go to', '跳转'])}
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start', pt: '8vh' } }}
    >
      <Box sx={{ p: 2 }}>
        <Autocomplete
          open
          openOnFocus
          disablePortal
          autoHighlight
          // Retains the search text when a loading page takes the focus.
          clearOnBlur={false}
          options={options}
          groupBy={({ group }) => group}
          getOptionKey={({ to, label }) => `${to} ${label}`}
          getOptionLabel={({ label }) => label}
          filterOptions={(all, { inputValue }) => {
            const parts = inputValue.trim().toLowerCase().split(/\s+/)
            return all
              .filter(({ words }) => parts.every((part) => words.toLowerCase().includes(part)))
              .slice(0, 60)
          }}
          inputValue={text}
          onInputChange={(_event, value, reason) => reason !== 'reset' && setText(value)}
          onChange={(_event, command) => {
            if (!command) return
            close()
            void navigate(command.to)
          }}
          noOptionsText={t(['No matching results.', '没有符合条件的结果。'])}
          renderInput={(props) => (
            <TextField
              {...props}
              autoFocus
              label={t(['Page, user or setting', '页面、用户或设置'])}
              onKeyDown={(event) => {
                if (event.key === 'Escape' && !isComposing(event.nativeEvent)) close()
              }}
            />
          )}
          slotProps={{
            popper: {
              sx: { position: 'static !important', transform: 'none !important', width: '100% !important' },
            },
            listbox: { sx: { maxHeight: '52vh' } },
            paper: { elevation: 0 },
          }}
        />
      </Box>
    </Dialog>
  )
}
