import { Alert, Box, Button, Card, CardContent, Chip, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Title, useCanAccess } from 'react-admin'
import { Link, useNavigate, useParams } from 'react-router'
import { call, type Page, type Wire } from '../api/client.ts'
import { Missing } from '../shell/not-found.tsx'
import { EmptyState, ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { AuthorHistory } from './author-history.tsx'
import { Content } from './content.tsx'
import { Decisions } from './decisions.tsx'
import { decide, onFinished, usePending } from './pending.ts'
import { type Queue, VERDICTS, type Verdict, type VerdictName } from './queue.ts'
import { queueNamed } from './queues.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { Several } from './several.tsx'

const AT_ONCE = 25

export function QueuePage() {
  const { queue: name, item } = useParams()
  const queue = queueNamed(name)
  const t = useText()
  if (!queue)
    return (
      <Missing
        text={['This queue does not exist.', '此队列不存在。']}
        to="/"
        label={['Show pending decisions', '查看待处理事项']}
      />
    )
  return (
    <>
      <Title title={t(queue.label)} />
      <QueueView key={queue.name} queue={queue} item={item} />
    </>
  )
}

function QueueView({ queue, item }: { queue: Queue; item: string | undefined }) {
  const t = useText()
  const client = useQueryClient()
  const pending = usePending()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<VerdictName | null>(null)
  // Items of a bulk decision, `choosing` while the user selects them, or undefined without a bulk decision.
  const [several, setSeveral] = useState<'choosing' | Wire[]>()
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
  const sent = useRef(new Set<string>())
  const decidedIds = new Set([...sent.current, ...pending.map(({ id }) => id)])
  const waiting = (data?.data ?? []).filter((row) => !decidedIds.has(`${queue.name} ${row.id}`))
  const at = waiting.findIndex(({ id }) => String(id) === item)
  const single = useQuery({
    queryKey: ['queue', queue.name, 'item', item],
    queryFn: () => call('GET', `/admin/${queue.path}/${encodeURIComponent(item as string)}`),
    enabled: canAccess === true && item !== undefined && data !== undefined && at < 0,
    retry: false,
  })
  const found = single.data
  const isOpen =
    found !== undefined &&
    Object.entries(queue.query).every(([field, value]) => found[field] === value) &&
    !decidedIds.has(`${queue.name} ${item}`)
  const isSought = item !== undefined && at < 0 && data !== undefined && single.isPending
  const isGone = item !== undefined && at < 0 && data !== undefined && !isSought && !isOpen
  // Stores the position of the item in the queue, so that the next item opens after a decision.
  const lastPosition = useRef(0)
  if (at >= 0) lastPosition.current = at
  const row =
    at >= 0
      ? waiting[at]
      : isOpen
        ? found
        : isGone || isSought
          ? undefined
          : waiting[Math.min(lastPosition.current, waiting.length - 1)]
  const show = useCallback(
    (id: unknown) => void navigate(`/queues/${queue.name}/${id}`, { replace: true }),
    [navigate, queue.name],
  )
  const left = Math.max(0, (data?.total ?? 0) - ((data?.data.length ?? 0) - waiting.length))

  useEffect(
    () =>
      onFinished((id, outcome) => {
        if (outcome === 'undone' || !id.startsWith(`${queue.name} `)) return
        if (outcome === 'sent') sent.current.add(id)
        void client.invalidateQueries({ queryKey: ['queue', queue.name] }).then(() => sent.current.delete(id))
        void client.invalidateQueries({ queryKey: ['waiting'] })
      }),
    [client, queue.name],
  )

  const shownId = row?.id
  useEffect(() => {
    if (item === undefined && shownId !== undefined) show(shownId)
  }, [item, shownId, show])

  const move = useCallback(
    (by: number) => {
      const from = row ? waiting.indexOf(row) : -1
      const next = waiting[Math.max(0, Math.min(from + by, waiting.length - 1))]
      if (next) show(next.id)
    },
    [waiting, row, show],
  )

  const carryOut = useCallback(
    (verdict: Verdict, reason: string, given: Wire) => {
      const rows = Array.isArray(several) ? several : row ? [row] : []
      const [first] = rows
      if (!first) return
      setAsking(null)
      setSeveral(undefined)
      const from = waiting.indexOf(first)
      const left = waiting.filter((each) => !rows.includes(each))
      const next = waiting.slice(from).find((each) => !rows.includes(each)) ?? left.at(-1)
      for (const each of rows)
        decide({
          id: `${queue.name} ${each.id}`,
          title: queue.title(each),
          verdict: t(verdict.label),
          decided: verdict.call(each, reason, given),
        })
      void navigate(`/queues/${queue.name}${next ? `/${next.id}` : ''}`, { replace: true })
      heading.current?.focus()
    },
    [row, several, queue, t, waiting, navigate],
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
      if (event.ctrlKey || event.metaKey || event.altKey || asking || several) return
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
  }, [move, begin, asking, several, queue])

  const asked = asking && queue[asking]
  if (!isAsking && !canAccess)
    return (
      <EmptyState
        text={['Your roles do not include the ability to decide here.', '您的角色没有处理此队列的权限。']}
      />
    )
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  return (
    <Box sx={{ pt: 2, pb: 10 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'baseline', flexWrap: 'wrap', mb: 2 }}>
        <Typography variant="h4" component="h1" ref={heading} tabIndex={-1} sx={{ outline: 'none' }}>
          {t(queue.label)}
        </Typography>
        <Typography color="textSecondary" role="status">
          {isPending || isSought ? t(['Loading…', '加载中…']) : t([`${left} pending`, `${left} 项待处理`])}
        </Typography>
        <Box sx={{ flex: 1 }} />
        {waiting.length > 1 && (
          <Button size="small" onClick={() => setSeveral('choosing')}>
            {t(['Decide on several items', '批量处理'])}
          </Button>
        )}
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
      {isPending || isSought ? (
        <Skeleton variant="rounded" height={360} aria-hidden />
      ) : isGone ? (
        <Box sx={{ textAlign: 'center' }}>
          <EmptyState
            text={['This item is no longer pending.', '此事项已不在队列中。']}
            note={[
              'Another administrator decided on it, or it was deleted.',
              '其他管理员已处理，或内容已被删除。',
            ]}
          />
          <Button variant="contained" component={Link} to={`/queues/${queue.name}`}>
            {t(['Show pending items', '查看待处理事项'])}
          </Button>
        </Box>
      ) : !row ? (
        <EmptyState
          icon="done"
          text={['No pending items.', '暂无待处理事项。']}
          note={['New items appear automatically.', '有新事项时会自动显示。']}
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
                useFlexGap
                sx={{ p: 2, borderTop: 1, borderColor: 'divider', flexWrap: 'wrap' }}
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
                    {t([`${queue.accept.label[0]} with a reason`, `填写理由并${queue.accept.label[1]}`])}
                  </Button>
                )}
                <Box sx={{ ml: 'auto', whiteSpace: 'nowrap' }}>
                  <Button onClick={() => move(-1)} disabled={waiting.indexOf(row) <= 0}>
                    {t(['Previous', '上一项'])}
                  </Button>
                  <Button
                    onClick={() => move(1)}
                    disabled={waiting.length === 0 || waiting.indexOf(row) === waiting.length - 1}
                  >
                    {t(['Next', '下一项'])}
                  </Button>
                </Box>
              </Stack>
            </Card>
            <UpNext queue={queue} waiting={waiting} current={row} choose={show} />
          </Stack>
          <AuthorHistory user={queue.author(row)} />
        </Box>
      )}
      {several === 'choosing' && (
        <Several
          queue={queue}
          rows={waiting}
          close={() => setSeveral(undefined)}
          begin={(name, chosen) => {
            setSeveral(chosen)
            setAsking(name)
          }}
        />
      )}
      {row && asked && (
        <ReasonDialog
          key={`${asking} ${row.id}`}
          verdict={asked}
          row={Array.isArray(several) ? (several[0] ?? row) : row}
          close={() => {
            setAsking(null)
            setSeveral(undefined)
          }}
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
  choose(id: unknown): void
}) {
  const t = useText()
  if (waiting.length < 2) return null
  return (
    <Box component="nav" aria-label={t(['Other pending items', '其他待处理事项'])}>
      <Typography variant="subtitle2" component="h2" color="textSecondary" gutterBottom>
        {t(['Other pending items', '其他待处理事项'])}
      </Typography>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {waiting.slice(0, 12).map((row) => (
          <Chip
            key={String(row.id)}
            label={queue.title(row) || `#${row.id}`}
            sx={{ maxWidth: 240 }}
            onClick={() => choose(row.id)}
            color={row === current ? 'primary' : 'default'}
            variant={row === current ? 'filled' : 'outlined'}
            aria-current={row === current}
          />
        ))}
      </Stack>
    </Box>
  )
}

export function Refused({ title, text, close }: { title: string; text: string; close(): void }) {
  const t = useText()
  return (
    <Alert severity="warning" onClose={close} sx={{ mb: 2 }}>
      <strong>{title}</strong> — {text} {t(['Your decision did not take effect.', '您的处理未生效。'])}
    </Alert>
  )
}
