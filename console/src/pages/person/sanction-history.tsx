import { Box, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { call, type Page } from '../../api/client.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { detailsOf, type HistoryEntry, titleOf } from './history.ts'
import { SanctionForm } from './sanction-form.tsx'

export function SanctionHistory({ user, maySanction }: { user: number; maySanction: boolean }) {
  const t = useText()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['history', user],
    queryFn: () => call<Page<HistoryEntry>>('GET', `/admin/users/${user}/history`, { query: { limit: 50 } }),
  })
  return (
    <>
      {maySanction && <SanctionForm user={user} />}
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={120} />}
      {data?.total === 0 && <EmptyState icon="audit" text={['No moderation history.', '暂无处置记录。']} />}
      <Stack component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {data?.data.map((entry) => (
          <Box component="li" key={String(entry.id)} sx={{ py: 1, borderTop: 1, borderColor: 'divider' }}>
            <Typography>
              <strong>{t(titleOf(entry))}</strong> · {String(entry.subject)}
            </Typography>
            <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
              <Value value={entry.at} as="time" /> · <Value value={entry.by} as="person" />{' '}
              {t(detailsOf(entry))}
            </Typography>
          </Box>
        ))}
      </Stack>
    </>
  )
}
