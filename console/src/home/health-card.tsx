import { Alert, Box, Button, Card, Chip, Stack, Typography } from '@mui/material'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocaleState, useNotify } from 'react-admin'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import { call } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import { sizeOf } from '../shell/size.ts'
import { plural, type Text, useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

type State = 'good' | 'warning' | 'failing' | 'off' | 'unknown'
type Part = {
  name: string
  state: State
  since: string | null
  fault: string | null
  sentence: { en: string; zh: string } | null
  remedy: { en: string; zh: string } | null
  good_at: string | null
  figures: { name: string; value: number }[]
}

const PARTS: Record<string, Text> = {
  server: ['Server and database', '服务器与数据库'],
  database: ['Database', '数据库'],
  writes: ['Writes', '写入'],
  clocks: ['Clocks', '时钟'],
  jobs: ['Background jobs', '后台任务'],
  mail: ['Mail', '邮件'],
  sms: ['Text messages', '短信'],
  push: ['Push services', '推送服务'],
  payments: ['Payment providers', '支付渠道'],
  im: ['Instant messaging', '即时通讯'],
  uploads: ['Uploads', '上传文件'],
  nodes: ['Servers', '服务器'],
  backups: ['Backups', '备份'],
  backup_place: ['Target of the backups', '备份位置'],
  backup_check: ['Weekly test of a backup', '每周备份检查'],
  redis: ['Redis', 'Redis'],
  replicas: ['Replicas of the database', '数据库副本'],
  disk: ['Disk', '磁盘'],
  address: ['Address of the site', '站点地址'],
  certificate: ['Certificate', '证书'],
  upload_limit: ['Upload limit of the proxy', '反向代理的上传限制'],
  browsers: ['Address in browsers', '浏览器中的地址'],
  proxy: ['Reverse proxy', '反向代理'],
}

const STATES: Record<State, { label: Text; color: 'success' | 'warning' | 'error' | 'default' }> = {
  good: { label: ['working', '正常'], color: 'success' },
  warning: { label: ['needs attention', '需要关注'], color: 'warning' },
  failing: { label: ['failing', '异常'], color: 'error' },
  off: { label: ['off', '未启用'], color: 'default' },
  unknown: { label: ['not checked yet', '尚未检查'], color: 'default' },
}

const FIGURES: Record<string, { say: (number: string) => Text; quietAtZero?: boolean }> = {
  ms: { say: (n) => [`responds in ${n} ms`, `响应时间 ${n} 毫秒`] },
  clients: { say: (n) => [plural(n, 'connection'), `${n} 个连接`] },
  waiting: {
    say: (n) => [`${plural(n, 'request')} waiting for a connection`, `${n} 个请求等待连接`],
    quietAtZero: true,
  },
  bytes: { say: (n) => [n, n] },
  due: { say: (n) => [`${plural(n, 'job')} due`, `${n} 个任务待执行`] },
  running: { say: (n) => [`${plural(n, 'job')} running`, `${n} 个任务执行中`], quietAtZero: true },
  failed: {
    say: (n) => [`${plural(n, 'job')} failed permanently`, `${n} 个任务最终失败`],
    quietAtZero: true,
  },
  seconds: { say: (n) => [`took ${n} s`, `耗时 ${n} 秒`] },
}

/** Reads the parts with failing ones first. All users of this hook share its requests. */
export function useHealth(): { maySee: boolean; parts: Part[] } {
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const maySee = mine !== undefined && mayCall(mine, 'get health')
  const { data: ready } = useQuery({
    queryKey: ['ready'],
    queryFn: () =>
      fetch('/health/ready').then(
        ({ ok }) => ok,
        () => false,
      ),
    refetchInterval: 30_000,
  })
  const { data: health } = useQuery({
    queryKey: ['health'],
    queryFn: () => call<{ parts: Part[] }>('GET', '/admin/health'),
    enabled: maySee,
    refetchInterval: 30_000,
    retry: false,
  })
  const server: Part = {
    name: 'server',
    state: ready === false ? 'failing' : 'good',
    since: null,
    fault: null,
    sentence: null,
    remedy: null,
    good_at: null,
    figures: [],
  }
  // Ignores the last reported states of the server's parts while the server is not ready, because the states
  // are obsolete.
  const parts = health && ready !== false ? health.parts : ready === undefined ? [] : [server]
  return { maySee, parts: parts.toSorted((a, b) => urgency(a) - urgency(b)) }
}

const URGENT: readonly State[] = ['failing', 'warning']

const urgency = ({ state }: Part): number => (URGENT.includes(state) ? URGENT.indexOf(state) : URGENT.length)

const HEADING = 'health'

/** Names the parts that need the operator above the charts, because the card with all parts is below them. */
export function HealthNotice() {
  const t = useText()
  const { parts } = useHealth()
  const groups = URGENT.flatMap((state) => {
    const names = parts.filter((part) => part.state === state).map(({ name }) => PARTS[name] ?? [name, name])
    if (names.length === 0) return []
    const [en, zh] = STATES[state].label
    return [
      t([
        `${en}: ${names.map(([name]) => name).join(', ')}`,
        `${zh}：${names.map(([, name]) => name).join('、')}`,
      ]),
    ]
  })
  if (groups.length === 0) return null
  return (
    <Alert
      severity={parts.some(({ state }) => state === 'failing') ? 'error' : 'warning'}
      sx={{ mb: 2 }}
      action={
        <Button color="inherit" size="small" onClick={() => document.getElementById(HEADING)?.focus()}>
          {t(['Show', '查看'])}
        </Button>
      }
    >
      {groups.map((group) => (
        <Box key={group} sx={{ '&::first-letter': { textTransform: 'uppercase' } }}>
          {group}
        </Box>
      ))}
    </Alert>
  )
}

export function HealthCard() {
  const t = useText()
  const { maySee, parts } = useHealth()
  return (
    <>
      <Stack direction="row" spacing={1} sx={{ mt: 3, mb: 1, alignItems: 'center' }}>
        <Typography variant="h6" component="h2" id={HEADING} tabIndex={-1} sx={{ flex: 1 }}>
          {t(['Health', '运行状态'])}
        </Typography>
        {maySee && (
          <Start
            path="/admin/health/checks"
            label={['Check now', '立即检查']}
            done={['The checks have started.', '检查已开始。']}
          />
        )}
        {maySee && parts.some(({ name, state }) => name === 'backups' && state !== 'off') && (
          <Start
            path="/admin/backups"
            label={['Back up now', '立即备份']}
            done={['The backup has started.', '备份已开始。']}
          />
        )}
      </Stack>
      <Card component="ul" sx={{ listStyle: 'none', m: 0, px: 2, py: 0.5 }}>
        {parts.map((part) => (
          <PartLine key={part.name} part={part} />
        ))}
      </Card>
    </>
  )
}

/** Time in milliseconds within which most checks end. */
const CHECKED_MS = 4_000

function Start({ path, label, done }: { path: string; label: Text; done: Text }) {
  const t = useText()
  const notify = useNotify()
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('POST', path),
    onSuccess: () => {
      notify(t(done), { type: 'info' })
      setTimeout(() => void queries.invalidateQueries({ queryKey: ['health'] }), CHECKED_MS)
    },
    onError: (refused) => notify(messageOf(refused), { type: 'error' }),
  })
  return (
    <Button size="small" disabled={isPending} onClick={() => mutate()}>
      {t(label)}
    </Button>
  )
}

function PartLine({ part }: { part: Part }) {
  const { name, state, since, fault, sentence, remedy, good_at: goodAt, figures } = part
  const t = useText()
  const [locale] = useLocaleState()
  const told = figures.flatMap(({ name, value }) => {
    const figure = FIGURES[name]
    if (!figure || (value === 0 && figure.quietAtZero)) return []
    const number =
      name === 'bytes'
        ? sizeOf(value, locale)
        : value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 })
    return [t(figure.say(number))]
  })
  const label = STATES[state]
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr) auto',
        columnGap: 1,
        alignItems: 'center',
        py: 1,
        '& + &': { borderTop: 1, borderColor: 'divider' },
      }}
    >
      <Typography>{t(PARTS[name] ?? [name, name])}</Typography>
      <Chip size="small" variant="outlined" color={label.color} label={t(label.label)} />
      <Typography
        color="textSecondary"
        variant="body2"
        sx={{ gridColumn: '1 / -1', overflowWrap: 'anywhere' }}
      >
        {since && (
          <>
            {t(['Since', '自'])} <Value value={since} as="time" />
            {sentence || fault ? t([': ', ' 起：']) : t([' ', ' 起 '])}
          </>
        )}
        {sentence ? <>{t([sentence.en, sentence.zh])} </> : fault && <>{fault} </>}
        {remedy && <strong>{t([remedy.en, remedy.zh])} </strong>}
        {goodAt && (name === 'backups' || state === 'failing') && (
          <>
            {name === 'backups' ? t(['last backup', '最近备份']) : t(['last working', '上次正常'])}{' '}
            <Value value={goodAt} as="time" />{' '}
          </>
        )}
        {told.join(' · ')}
      </Typography>
    </Box>
  )
}
