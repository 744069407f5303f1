import { Avatar, Box, Card, CardContent, Chip, Divider, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { call, type Page, type Wire } from '../api/client.ts'
import { fileAddressOf } from '../api/pictures.ts'
import { memberText, plainText } from '../areas/member-text.ts'
import { TextView } from '../areas/text-tree.tsx'
import { initialOf, type Text, useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

const COUNTS: readonly { name: string; label: Text }[] = [
  { name: 'feeds_count', label: ['Feeds', '动态'] },
  { name: 'comments_count', label: ['Comments', '评论'] },
  { name: 'followers_count', label: ['Followers', '粉丝'] },
  { name: 'questions_count', label: ['Questions', '提问'] },
]

export function AuthorHistory({ user }: { user: number | undefined }) {
  const t = useText()
  const enabled = user !== undefined && user > 0
  const { data: person, isPending } = useQuery({
    queryKey: ['person', user],
    // The list omits a deleted account, for which the account itself would answer 404.
    queryFn: async () => (await call<Wire[]>('GET', '/users', { query: { id: user } }))[0] ?? null,
    enabled,
    retry: false,
  })
  const { data: reports } = useQuery({
    queryKey: ['reports-of', user],
    queryFn: () => call<Page>('GET', '/admin/reports', { query: { target_user: user, limit: 3 } }),
    enabled,
    retry: false,
  })
  const { data: feeds } = useQuery({
    queryKey: ['feeds-of', user],
    queryFn: () => call<Page>('GET', '/admin/feeds', { query: { user_id: user, limit: 3, trees: true } }),
    enabled,
    retry: false,
  })
  if (!enabled) return null
  if (isPending) return <Skeleton variant="rounded" height={220} aria-hidden />
  if (person === null)
    return (
      <Card component="aside" aria-label={t(['About the user', '用户信息'])} sx={{ alignSelf: 'start' }}>
        <CardContent>
          <Typography color="textSecondary">
            {t(['This account was disabled or deleted.', '此账号已禁用或删除。'])}
          </Typography>
        </CardContent>
      </Card>
    )
  if (!person) return null
  const extra = (person.extra ?? {}) as Wire
  return (
    <Card component="aside" aria-label={t(['About the user', '用户信息'])} sx={{ alignSelf: 'start' }}>
      <CardContent>
        <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
          <Avatar src={fileAddressOf(person.avatar)} alt="">
            {initialOf(String(person.name))}
          </Avatar>
          <Box sx={{ minWidth: 0 }}>
            <Typography
              component={Link}
              to={`/people/${user}/show`}
              sx={{ color: 'primary.main', fontWeight: 600 }}
            >
              {String(person.name)}
            </Typography>
            <Typography variant="body2" color="textSecondary">
              {t(['registered', '注册于'])} <Value value={person.created_at} as="time" />
            </Typography>
          </Box>
        </Stack>
        <Stack direction="row" spacing={1} useFlexGap sx={{ my: 1.5, flexWrap: 'wrap' }}>
          {COUNTS.map(({ name, label }) => (
            <Chip key={name} size="small" label={`${t(label)} ${extra[name] ?? 0}`} />
          ))}
          {reports && (
            <Chip
              size="small"
              color={reports.total > 0 ? 'warning' : 'default'}
              variant={reports.total > 0 ? 'outlined' : 'filled'}
              label={t([`Reports ${reports.total}`, `被举报 ${reports.total} 次`])}
            />
          )}
        </Stack>
        {[
          {
            label: ['Latest feeds', '最近动态'] as Text,
            rows: feeds?.data,
            of: (row: Wire) => memberText(row, 'feed_content', 'plain'),
          },
          {
            label: ['Latest reports', '最近被举报记录'] as Text,
            rows: reports?.data,
            of: (row: Wire) => plainText(row.reason ?? row.subject),
          },
        ].map(({ label, rows = [], of }) =>
          rows.length === 0 ? null : (
            <Box key={label[0]} sx={{ mt: 1.5 }}>
              <Divider sx={{ mb: 1 }} />
              <Typography variant="subtitle2" component="h2">
                {t(label)}
              </Typography>
              {rows.map((row) => {
                const text = of(row)
                return (
                  <Typography
                    key={String(row.id)}
                    component="div"
                    variant="body2"
                    color="textSecondary"
                    noWrap
                  >
                    <Value value={row.created_at} as="time" /> ·{' '}
                    {text ? <TextView text={text} sx={{ display: 'inline', whiteSpace: 'nowrap' }} /> : '—'}
                  </Typography>
                )
              })}
            </Box>
          ),
        )}
      </CardContent>
    </Card>
  )
}
