import { Box, Button, Card, CardContent, Skeleton, Stack, Typography } from '@mui/material'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNotify, useRecordContext } from 'react-admin'
import { call, type Page, type Wire } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import { memberText } from '../areas/member-text.ts'
import { TextView } from '../areas/text-tree.tsx'
import { PageSteps } from '../shell/page-steps.tsx'
import { Picture } from '../shell/picture.tsx'
import { ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

const AT_ONCE = 20

export function FeedComments() {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const feed = useRecordContext<Wire & { id: number; images?: { file: number }[] }>()
  const [page, setPage] = useState(0)
  const key = ['feed-comments', feed?.id]
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...key, page],
    queryFn: () =>
      call<Page>('GET', `/admin/feeds/${feed?.id}/comments`, {
        query: { page: page + 1, limit: AT_ONCE, trees: true },
      }),
    enabled: feed !== undefined,
    placeholderData: keepPreviousData,
  })
  if (!feed) return null
  const remove = async (id: unknown) => {
    try {
      await call('DELETE', `/admin/feeds/${feed.id}/comments/${id}`)
      notify(t(['Deleted', '已删除']), { type: 'success' })
      await client.invalidateQueries({ queryKey: key })
    } catch (refused) {
      notify(messageOf(refused), { type: 'error' })
    }
  }
  return (
    <Card sx={{ mt: 2 }}>
      <CardContent>
        {(feed.images?.length ?? 0) > 0 && (
          <Box
            sx={{
              display: 'grid',
              gap: 1,
              gridTemplateColumns: 'repeat(auto-fill, minmax(140px, 1fr))',
              mb: 2,
            }}
          >
            {feed.images?.map(({ file }, position) => (
              <Picture
                key={file}
                id={file}
                alt={t([`Picture ${position + 1}`, `图片 ${position + 1}`])}
                height={140}
                opens
              />
            ))}
          </Box>
        )}
        <Typography variant="h6" component="h2" gutterBottom>
          {t(['Comments', '评论'])} {data ? `(${data.total})` : ''}
        </Typography>
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {isPending && <Skeleton variant="rounded" height={120} />}
        {data?.total === 0 && (
          <Typography color="textSecondary">{t(['No comments yet.', '暂无评论。'])}</Typography>
        )}
        <Stack component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
          {data?.data.map((comment) => {
            const text = memberText(comment, 'body', 'plain')
            return (
              <Box
                component="li"
                key={String(comment.id)}
                sx={{ display: 'flex', gap: 1, py: 1, borderTop: 1, borderColor: 'divider' }}
              >
                <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                  <Value value={comment.user} as="person" /> · <Value value={comment.created_at} as="time" />
                  {text && <TextView text={text} />}
                </Box>
                <Button
                  color="error"
                  onClick={() => void remove(comment.id)}
                  aria-label={t([`Delete comment ${comment.id}`, `删除评论 ${comment.id}`])}
                >
                  {t(['Delete', '删除'])}
                </Button>
              </Box>
            )
          })}
        </Stack>
        {data && data.total > AT_ONCE && (
          <PageSteps count={data.total} page={page} atOnce={AT_ONCE} onChange={setPage} />
        )}
      </CardContent>
    </Card>
  )
}
