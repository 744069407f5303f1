import { Alert, Box, Button, Card, CardContent, Chip, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Title, useCanAccess } from 'react-admin'
import { useParams } from 'react-router'
import { call, type Page, type Wire } from '../api/client.ts'
import { EmptyState, ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { AuthorHistory } from './author-history.tsx'
import { Content } from './content.tsx'
import { Decisions } from './decisions.tsx'
import { decide, onFinished, usePending } from './pending.ts'
import { type Queue, VERDICTS, type Verdict, type VerdictName } from './queue.ts'
import { queueNamed } from './queues.ts'
import { ReasonDialog } from './reason-dialog.tsx'

const AT_ONCE = 25

/** One queue: what waits longest first, decided with one key. */
export function QueuePage() {
  const { queue: name } = useParams()
  const queue = queueNamed(name)
  const t = useText()
  if (!queue) return <EmptyState text={['There is no such queue.', '没有这个队列。']} />
  return (
    <>
      <Title title={t(queue.label)} />
      <QueueView key={queue.name} queue={queue} />
    </>
  )
}

function QueueView({ queue }: { queue: Queue }) {
  const t = useText()
  const client = useQueryClient()
  const pending = usePending()
  const [position, setPosition] = useState(0)
  const [asking, setAsking] = useState<VerdictName | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const { canAccess, isPending: isAsking } = useCanAccess({
    resource: `queue:${queue.name}`,
    action: 'decide',
  })
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['queue', queue.name],
    queryFn: () =>
      call<Page>('GET', `/admin/${queue.path}`, {
        query: { ...queue.query, sort: 'id', order: 'asc', limit: AT_ONCE },
      }),
    enabled: canAccess === true,
    refetchInterval: 30_000,
  })
  const decidedIds = new Set(pending.map(({ id }) => id))
  const waiting = (data?.data ?? []).filter((row) => !decidedIds.has(`${queue.name} ${row.id}`))
  const row = waiting[Math.min(position, waiting.length - 1)]
  const left = Math.max(0, (data?.total ?? 0) - ((data?.data.length ?? 0) - waiting.length))

  useEffect(
    () =>
      onFinished((id, outcome) => {
        if (outcome === 'undone' || !id.startsWith(`${queue.name} `)) return
        void client.invalidateQueries({ queryKey: ['queue', queue.name] })
        void client.invalidateQueries({ queryKey: ['waiting'] })
      }),
    [client, queue.name],
  )

  const move = useCallback(
    (by: number) =>
      setPosition((at) => Math.max(0, Math.min(Math.min(at, waiting.length - 1) + by, waiting.length - 1))),
    [waiting.length],
  )

  const carryOut = useCallback(
    (verdict: Verdict, reason: string, given: Wire) => {
      if (!row) return
      setAsking(null)
      decide({
        id: `${queue.name} ${row.id}`,
        title: queue.title(row),
        verdict: t(verdict.label),
        decided: verdict.call(row, reason, given),
      })
      heading.current?.focus()
    },
    [row, queue, t],
  )

  const begin = useCallback(
    (kind: VerdictName, withReason = false) => {
      const verdict = queue[kind]
      if (!row || !verdict) return
      if (verdict.reason && (verdict.reason.required || withReason || kind !== 'accept')) setAsking(kind)
      else carryOut(verdict, '', {})
    },
    [row, queue, carryOut],
  )

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey || asking) return
      if (
        target.closest(
          'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]',
        )
      )
        return
      const verdict = (Object.keys(VERDICTS) as VerdictName[]).find((name) => VERDICTS[name] === event.key)
      const by = { j: 1, k: -1 }[event.key]
      if (verdict ? !queue[verdict] : by === undefined) return
      event.preventDefault()
      if (verdict) begin(verdict)
      else if (by !== undefined) move(by)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [move, begin, asking, queue])

  const asked = asking && queue[asking]
  if (!isAsking && !canAccess)
    return <EmptyState text={['Your roles do not let you decide on these.', '你的角色无权处理这些事项。']} />
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  return (
    <Box sx={{ pt: 2, pb: 10 }}>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'baseline', flexWrap: 'wrap', mb: 2 }}>
        <Typography variant="h4" component="h1" ref={heading} tabIndex={-1} sx={{ outline: 'none' }}>
          {t(queue.label)}
        </Typography>
        <Typography color="textSecondary" role="status">
          {isPending ? t(['Loading…', '加载中…']) : t([`${left} waiting`, `${left} 项待处理`])}
        </Typography>
        <Box sx={{ flex: 1 }} />
        <Typography color="textSecondary" variant="body2" sx={{ display: { xs: 'none', sm: 'block' } }}>
          <Key name="j" /> <Key name="k" /> {t(['next, previous', '下一项、上一项'])} · <Key name="a" />{' '}
          {t(queue.accept.label)} · <Key name="r" /> {t(queue.reject.label)}
          {queue.more && (
            <>
              {' '}
              · <Key name="m" /> {t(queue.more.label)}
            </>
          )}
        </Typography>
      </Stack>
      <Decisions queue={queue.name} />
      {isPending ? (
        <Skeleton variant="rounded" height={360} />
      ) : !row ? (
        <EmptyState
          icon="done"
          text={['Nothing waits here.', '这里没有待处理的事项。']}
          note={['What comes in is shown by itself.', '有新事项时会自动显示。']}
        />
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 2fr) minmax(260px, 1fr)' },
          }}
        >
          <Stack spacing={2} sx={{ minWidth: 0 }}>
            <Card component="article" aria-label={queue.title(row)}>
              <CardContent>
                <Content queue={queue} row={row} />
              </CardContent>
              <Stack
                direction="row"
                spacing={1}
                sx={{ p: 2, borderTop: 1, borderColor: 'divider', flexWrap: 'wrap', rowGap: 1 }}
              >
                <Button variant="contained" onClick={() => begin('accept')}>
                  {t(queue.accept.label)}
                </Button>
                <Button variant="outlined" color="error" onClick={() => begin('reject')}>
                  {t(queue.reject.label)}
                </Button>
                {queue.more && (
                  <Button variant="outlined" onClick={() => begin('more')}>
                    {t(queue.more.label)}
                  </Button>
                )}
                {queue.accept.reason && !queue.accept.reason.required && (
                  <Button onClick={() => begin('accept', true)}>
                    {t(['Accept with a remark', '附言通过'])}
                  </Button>
                )}
                <Box sx={{ ml: 'auto', whiteSpace: 'nowrap' }}>
                  <Button onClick={() => move(-1)} disabled={waiting.indexOf(row) === 0}>
                    {t(['Previous', '上一项'])}
                  </Button>
                  <Button onClick={() => move(1)} disabled={waiting.indexOf(row) === waiting.length - 1}>
                    {t(['Next', '下一项'])}
                  </Button>
                </Box>
              </Stack>
            </Card>
            <UpNext queue={queue} waiting={waiting} current={row} choose={setPosition} />
          </Stack>
          <AuthorHistory user={queue.author(row)} />
        </Box>
      )}
      {row && asked && (
        <ReasonDialog
          key={`${asking} ${row.id}`}
          verdict={asked}
          row={row}
          close={() => setAsking(null)}
          decide={(reason, given) => carryOut(asked, reason, given)}
        />
      )}
    </Box>
  )
}

function Key({ name }: { name: string }) {
  return (
    <Box
      component="kbd"
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        px: 0.75,
        fontFamily: 'inherit',
        bgcolor: 'background.paper',
      }}
    >
      {name}
    </Box>
  )
}

function UpNext({
  queue,
  waiting,
  current,
  choose,
}: {
  queue: Queue
  waiting: Wire[]
  current: Wire
  choose(position: number): void
}) {
  const t = useText()
  if (waiting.length < 2) return null
  return (
    <Box component="nav" aria-label={t(['Also waiting', '其他待处理'])}>
      <Typography variant="subtitle2" color="textSecondary" gutterBottom>
        {t(['Also waiting', '其他待处理'])}
      </Typography>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {waiting.slice(0, 12).map((row, position) => (
          <Chip
            key={String(row.id)}
            label={queue.title(row).slice(0, 30) || `#${row.id}`}
            onClick={() => choose(position)}
            color={row === current ? 'primary' : 'default'}
            variant={row === current ? 'filled' : 'outlined'}
            aria-current={row === current}
          />
        ))}
      </Stack>
    </Box>
  )
}

/** Shown where a decision was refused. */
export function Refused({ title, text, close }: { title: string; text: string; close(): void }) {
  const t = useText()
  return (
    <Alert severity="warning" onClose={close} sx={{ mb: 2 }}>
      <strong>{title}</strong> — {text} {t(['Your decision was not carried out.', '你的决定未被执行。'])}
    </Alert>
  )
}
