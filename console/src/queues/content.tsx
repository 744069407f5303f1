import { Box, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { call, type Wire } from '../api/client.ts'
import { fileAddressOf } from '../api/pictures.ts'
import { Rendered } from '../areas/rendered.tsx'
import { Copyable } from '../shell/copyable.tsx'
import { plainAmount } from '../shell/money.ts'
import { Picture } from '../shell/picture.tsx'
import { useText } from '../shell/text.ts'
import { currencyOf, isAmount, Value, valueAt } from '../shell/value.tsx'
import { ChatContext } from './chat-context.tsx'
import type { Queue } from './queue.ts'

export function Content({ queue, row }: { queue: Queue; row: Wire }) {
  const t = useText()
  const address = queue.whole?.(row)
  const { data } = useQuery({
    queryKey: ['whole', address],
    queryFn: () => call('GET', address as string),
    enabled: address !== undefined,
    retry: false,
  })
  const shown: Wire = { ...data, ...row }
  const body = queue.body?.(shown)
  const chatMessage = queue.chatMessage?.(row)
  const pictures = [
    ...(queue.uploads?.(shown) ?? []).map((id) => ({ id })),
    ...(queue.pictures?.(shown) ?? []).flatMap((each) => {
      const url = fileAddressOf(each)
      return url ? [{ url }] : []
    }),
  ]
  return (
    <Stack spacing={2}>
      <Typography variant="h5" component="h2" dir="auto" sx={{ overflowWrap: 'anywhere' }}>
        {queue.title(row)}
      </Typography>
      {body && <Rendered text={body} top={3} />}
      {chatMessage && <ChatContext address={chatMessage} />}
      {pictures.length > 0 && (
        <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(140px, 1fr))' }}>
          {pictures.map((picture, position) => (
            <Picture
              key={'id' in picture ? picture.id : picture.url}
              {...picture}
              alt={t([`Picture ${position + 1}`, `图片 ${position + 1}`])}
              height={160}
              opens
            />
          ))}
        </Box>
      )}
      <Box
        component="dl"
        sx={{ m: 0, display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 2, rowGap: 0.75 }}
      >
        {queue.facts.map(({ label, name, as = 'text', choices, copies }) => {
          const value = valueAt(shown, name)
          if (value === null || value === undefined || value === '') return null
          return (
            <Box key={name} sx={{ display: 'contents' }}>
              <Typography component="dt" color="textSecondary">
                {t(label)}
              </Typography>
              <Typography component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
                {copies ? (
                  <Copyable
                    label={t(label)}
                    text={isAmount(as) ? plainAmount(Number(value), currencyOf(as, shown)) : String(value)}
                  >
                    <Value value={value} as={as} row={shown} />
                  </Copyable>
                ) : (
                  <Value value={value} as={as} row={shown} {...(choices ? { choices } : {})} />
                )}
              </Typography>
            </Box>
          )
        })}
      </Box>
    </Stack>
  )
}
