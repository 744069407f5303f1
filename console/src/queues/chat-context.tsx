import { Alert, Box, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { call, type Wire } from '../api/client.ts'
import { memberText } from '../areas/member-text.ts'
import { TextView } from '../areas/text-tree.tsx'
import { useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

type Context = { message: Wire; context: Wire[] }

export function ChatContext({ address }: { address: string }) {
  const t = useText()
  const { data, isError } = useQuery({
    queryKey: ['chat-message', address],
    queryFn: () => call<Context>('GET', address),
    retry: false,
  })
  if (isError)
    return <Alert severity="info">{t(['The message no longer exists.', '该消息已不存在。'])}</Alert>
  if (!data) return null
  const messages = [...data.context, data.message].sort((a, b) => Number(a.position) - Number(b.position))
  return (
    <Stack spacing={1}>
      <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {messages.map((message) => {
          const isReported = message.id === data.message.id
          const text = message.deleted ? undefined : memberText(message, 'body', 'plain')
          return (
            <Box
              component="li"
              key={String(message.id)}
              aria-current={isReported || undefined}
              sx={{
                px: 1.5,
                py: 0.75,
                borderLeft: 3,
                borderColor: isReported ? 'error.main' : 'divider',
                overflowWrap: 'anywhere',
              }}
            >
              <Typography variant="caption" color="textSecondary" component="div">
                <Value value={message.sender_id} as="person" row={message} />{' '}
                <Value value={message.created_at} as="time" row={message} />
              </Typography>
              {text ? (
                <TextView text={text} />
              ) : (
                <Typography>
                  {message.deleted ? t(['deleted', '已删除']) : t(['no text', '无文字'])}
                </Typography>
              )}
            </Box>
          )
        })}
      </Box>
      <Typography variant="caption" color="textSecondary">
        {t([
          'Moderators can see only the reported message and up to five messages before and after it.',
          '管理员只能查看被举报的消息及其前后各五条消息。',
        ])}
      </Typography>
    </Stack>
  )
}
