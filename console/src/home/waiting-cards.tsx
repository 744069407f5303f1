import { isKithError } from '@kith/client'
import { Box, Card, CardActionArea, Skeleton, Stack, Typography } from '@mui/material'
import { useLocaleState } from 'react-admin'
import { Link } from 'react-router'
import { QUEUES } from '../queues/queues.ts'
import { Icon } from '../shell/icon.tsx'
import { EmptyState, ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { timeOf } from '../shell/value.tsx'
import { useWaiting } from './waiting.ts'

export function WaitingCards() {
  const t = useText()
  const [locale] = useLocaleState()
  const { waiting, error, isPending, refetch } = useWaiting()
  const heading = (
    <Typography variant="h6" component="h2" sx={{ mt: 1, mb: 1 }}>
      {t(['Pending decisions', '待处理'])}
    </Typography>
  )
  if (isKithError(error) && error.status === 403) return null
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (isPending || !waiting) return <Skeleton variant="rounded" height={120} />
  const full = QUEUES.filter(({ name }) => (waiting.get(name)?.count ?? 0) > 0)
  if (full.length === 0)
    return (
      <>
        {heading}
        <Card>
          <EmptyState icon="done" text={['No pending decisions.', '暂无待处理事项。']} />
        </Card>
      </>
    )
  return (
    <>
      {heading}
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: {
            xs: 'repeat(2, minmax(0, 1fr))',
            sm: 'repeat(auto-fill, minmax(200px, 1fr))',
          },
        }}
      >
        {full.map(({ name, label, icon }) => {
          const { count = 0, more = false, oldest_at: oldest = null } = waiting.get(name) ?? {}
          const since = timeOf(oldest)
          return (
            <Card key={name}>
              <CardActionArea component={Link} to={`/queues/${name}`} sx={{ p: 2, height: '100%' }}>
                <Stack direction="row" spacing={1} sx={{ alignItems: 'center', color: 'text.secondary' }}>
                  <Icon name={icon} fontSize="small" />
                  <Typography component="h3">{t(label)}</Typography>
                </Stack>
                <Typography sx={{ fontSize: '1.9rem', fontWeight: 700, lineHeight: 1.3 }}>
                  {count.toLocaleString(locale)}
                  {more ? '+' : ''}
                </Typography>
                <Typography variant="body2" color="textSecondary">
                  {since ? t([`oldest: ${ageOf(since, 'en')}`, `最早：${ageOf(since, 'zh')}`]) : ' '}
                </Typography>
              </CardActionArea>
            </Card>
          )
        })}
      </Box>
    </>
  )
}

function ageOf(since: Date, locale: string): string {
  const minutes = Math.round((since.getTime() - Date.now()) / 60_000)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  if (minutes > -60) return format.format(Math.min(minutes, 0), 'minute')
  if (minutes > -60 * 48) return format.format(Math.round(minutes / 60), 'hour')
  return format.format(Math.round(minutes / 1440), 'day')
}
