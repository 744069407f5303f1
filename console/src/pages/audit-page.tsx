import { Box, Card, Chip, Skeleton, Stack, TextField, Typography } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Title } from 'react-admin'
import { useSearchParams } from 'react-router'
import { call, type Page, type Wire } from '../api/client.ts'
import { PageSteps } from '../shell/page-steps.tsx'
import { EmptyState, ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

const AT_ONCE = 20

/** Every administrative change: who, when, what, and how the thing was and became. */
export function AuditPage() {
  const t = useText()
  const [asked, ask] = useSearchParams()
  const [page, setPage] = useState(0)
  const query = Object.fromEntries(asked)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['audit', query, page],
    queryFn: () =>
      call<Page>('GET', '/admin/audit-log', { query: { ...query, page: page + 1, limit: AT_ONCE } }),
    placeholderData: keepPreviousData,
  })
  const set = (name: string, value: string) => {
    setPage(0)
    ask((known) => {
      if (value) known.set(name, value)
      else known.delete(name)
      return known
    })
  }
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Audit log', '操作日志'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Audit log', '操作日志'])}
      </Typography>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={1} sx={{ mb: 2, maxWidth: 720 }}>
        <TextField
          type="search"
          label={t(['Action', '操作'])}
          defaultValue={query.q ?? ''}
          onChange={(event) => set('q', event.target.value)}
          slotProps={{ htmlInput: { maxLength: 100 } }}
        />
        <TextField
          type="number"
          label={t(['Id of who did it', '操作人编号'])}
          defaultValue={query.user_id ?? ''}
          onChange={(event) => set('user_id', event.target.value)}
        />
      </Stack>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={320} />}
      {data?.total === 0 && <EmptyState icon="audit" text={['Nothing was changed yet.', '暂无记录。']} />}
      <Stack spacing={1} component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {data?.data.map((entry) => (
          <Entry key={String(entry.id)} entry={entry} />
        ))}
      </Stack>
      {data && data.total > AT_ONCE && (
        <PageSteps count={data.total} page={page} atOnce={AT_ONCE} onChange={setPage} />
      )}
    </Box>
  )
}

function Entry({ entry }: { entry: Wire }) {
  const t = useText()
  const before = (entry.before ?? {}) as Wire
  const after = (entry.after ?? {}) as Wire
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return (
    <Card component="li" sx={{ p: 1.5 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <Chip size="small" label={String(entry.action)} />
        <Typography component="span">
          {String(entry.subject_type)} {String(entry.subject_id)}
        </Typography>
        <Box sx={{ flex: 1 }} />
        <Typography component="span" color="textSecondary" variant="body2">
          <Value value={entry.user_id} as="person" /> · <Value value={entry.created_at} as="time" />
        </Typography>
      </Stack>
      {names.length > 0 && (
        <Box component="details" sx={{ mt: 1 }}>
          <summary>
            {t([`${names.length} differences`, `${names.length} 处变化`])}: {names.slice(0, 4).join(', ')}
          </summary>
          <Box
            component="dl"
            sx={{
              m: 0,
              mt: 1,
              display: 'grid',
              gap: 0.5,
              gridTemplateColumns: { xs: '1fr', sm: 'max-content 1fr 1fr' },
              fontSize: 13,
            }}
          >
            {names.map((name) => (
              <Box key={name} sx={{ display: 'contents' }}>
                <Typography component="dt" variant="body2" color="textSecondary">
                  {name}
                </Typography>
                <Difference value={before[name]} sign="−" tone="error.main" />
                <Difference value={after[name]} sign="+" tone="success.main" />
              </Box>
            ))}
          </Box>
        </Box>
      )}
    </Card>
  )
}

function Difference({ value, sign, tone }: { value: unknown; sign: string; tone: string }) {
  return (
    <Box
      component="dd"
      sx={{ m: 0, color: tone, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', fontFamily: 'monospace' }}
    >
      {value === undefined ? '' : `${sign} ${typeof value === 'string' ? value : JSON.stringify(value)}`}
    </Box>
  )
}
