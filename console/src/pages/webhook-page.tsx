import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Chip,
  Dialog,
  DialogContent,
  DialogTitle,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNotify, useRecordContext } from 'react-admin'
import { call, type Wire } from '../api/client.ts'
import { createdSecrets } from '../api/created-secrets.ts'
import { messageOf } from '../api/message.ts'
import { type Heading, PagedTable, usePages } from '../shell/paged-table.tsx'
import { type Text, useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

const AT_ONCE = 15
const REFRESH_MS = 10_000
type Attempt = { at: string; status: number | null; error: string | null; ms: number; response: string }

export function WebhookPage() {
  const hook = useRecordContext<Wire & { id: number }>()
  return hook ? <Deliveries hook={hook.id} /> : null
}

function Deliveries({ hook }: { hook: number }) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [opened, setOpened] = useState<number>()
  const [secret, setSecret] = useState(() => createdSecrets.get(hook))
  const [since, setSince] = useState(() =>
    new Date(Date.now() - 86_400_000).toISOString().slice(0, 19).replace('T', ' '),
  )
  const base = `/admin/webhooks/${hook}`
  const key = ['deliveries', hook]
  const pages = usePages(key, `${base}/deliveries`, AT_ONCE, REFRESH_MS)
  const act = async (path: string, done: Text, body?: Wire) => {
    try {
      const answer = await call<{ secret?: string } | undefined>(
        'POST',
        `${base}${path}`,
        body ? { body } : {},
      )
      if (answer?.secret) setSecret(answer.secret)
      notify(t(done), { type: 'success' })
      await client.invalidateQueries({ queryKey: key })
    } catch (refused) {
      notify(messageOf(refused), { type: 'error' })
    }
  }
  const headings: Heading[] = [
    { label: ['Time', '时间'], cell: (row) => <Value value={row.created_at} as="time" /> },
    { label: ['Event', '事件'], cell: (row) => <Value value={row.type} as="code" /> },
    { label: ['Status', '状态'], cell: (row) => <Value value={row.status} as="state" /> },
    { label: ['Attempts', '尝试次数'], align: 'right', cell: (row) => String(row.attempts) },
    {
      label: ['Actions', '操作'],
      align: 'right',
      isWhole: true,
      cell: (row) => (
        <>
          <Button size="small" onClick={() => setOpened(Number(row.id))}>
            {t(['View', '查看'])}
          </Button>
          <Button
            size="small"
            onClick={() => void act(`/deliveries/${row.id}/replay`, ['Delivery queued again', '已重新投递'])}
          >
            {t(['Redeliver', '重新投递'])}
          </Button>
        </>
      ),
    },
  ]
  return (
    <Card sx={{ mt: 2 }}>
      <CardContent>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 2 }}>
          <Typography variant="h6" component="h2" sx={{ flex: 1 }}>
            {t(['Deliveries', '投递记录'])}
          </Typography>
          <Button onClick={() => void act('/ping', ['Test event sent', '已发送测试事件'])}>
            {t(['Send test event', '发送测试事件'])}
          </Button>
          <Button color="error" onClick={() => void act('/secret', ['Secret replaced', '密钥已更换'])}>
            {t(['Replace secret', '更换密钥'])}
          </Button>
        </Stack>
        {secret && (
          <Alert
            severity="info"
            onClose={() => {
              createdSecrets.delete(hook)
              setSecret(undefined)
            }}
            sx={{ mb: 2 }}
          >
            {t(['This secret is shown only once:', '此密钥仅显示一次：'])} <code>{secret}</code>
          </Alert>
        )}
        <Stack
          direction={{ xs: 'column', sm: 'row' }}
          spacing={1}
          sx={{ alignItems: { sm: 'center' }, mb: 2 }}
        >
          <TextField
            label={t(['Failed deliveries since (UTC)', '失败投递的起始时间（UTC）'])}
            value={since}
            onChange={(event) => setSince(event.target.value)}
            sx={{ maxWidth: 260 }}
          />
          <Button
            variant="outlined"
            onClick={() =>
              void act('/replay', ['Failed deliveries queued again', '已重新投递失败的事件'], { since })
            }
          >
            {t(['Redeliver all', '全部重新投递'])}
          </Button>
        </Stack>
        <PagedTable
          pages={pages}
          label={['Deliveries', '投递记录']}
          headings={headings}
          empty={{ icon: 'webhook', text: ['No deliveries yet.', '暂无投递记录。'] }}
        />
        {opened !== undefined && (
          <Delivery address={`${base}/deliveries/${opened}`} close={() => setOpened(undefined)} />
        )}
      </CardContent>
    </Card>
  )
}

function Delivery({ address, close }: { address: string; close(): void }) {
  const t = useText()
  const { data } = useQuery({
    queryKey: ['delivery', address],
    queryFn: () => call<{ type: string; body: string; log: Attempt[] }>('GET', address),
  })
  return (
    <Dialog open onClose={close} fullWidth maxWidth="md" aria-labelledby="delivery-title">
      <DialogTitle id="delivery-title">{data?.type ?? '…'}</DialogTitle>
      <DialogContent>
        {data?.log.map(({ at, status, error, ms, response }) => (
          <Box key={at} sx={{ mb: 1 }}>
            <Chip
              size="small"
              color={status !== null && status < 300 ? 'success' : 'error'}
              label={status ?? '—'}
            />{' '}
            <Value value={at} as="time" /> · {ms} ms {error}
            {response && (
              <Box component="pre" sx={{ m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {response}
              </Box>
            )}
          </Box>
        ))}
        <Typography variant="subtitle2" component="h3">
          {t(['Request body', '请求内容'])}
        </Typography>
        <Box component="pre" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} tabIndex={0}>
          {data?.body}
        </Box>
      </DialogContent>
    </Dialog>
  )
}
