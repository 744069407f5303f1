import {
  Alert,
  Box,
  Button,
  Card,
  CircularProgress,
  Skeleton,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Title, useLocaleState, useNotify } from 'react-admin'
import { mayCall, myAbilities } from '../../api/auth-provider.ts'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { HIDDEN } from '../../shell/hidden.ts'
import { sizeOf } from '../../shell/size.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { RestoreCard, useRestore, waitForRestore } from './restore-card.tsx'

type Check = {
  state: 'waiting' | 'running' | 'good' | 'failed'
  checked_at: string | null
  fault: string | null
}
export type Backup = {
  name: string
  bytes: number
  made_at: string
  encrypted: boolean | null
  check: Check | null
}
type Backups = {
  place: string | null
  fault: string | null
  encrypts: boolean
  running: boolean
  data: Backup[]
}

const WATCH_MS = 3_000
const IDLE_MS = 30_000

const isOpen = ({ check }: Backup) => check?.state === 'waiting' || check?.state === 'running'

export function BackupsPage() {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [download, setDownload] = useState<Backup>()
  /** Name of the backup to restore, or null for the uploaded one. */
  const [restored, setRestored] = useState<string | null>()
  const [isWaiting, setWaiting] = useState(false)
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const maySee = mine !== undefined && mayCall(mine, 'post backups/{backup}/downloads')
  const { data: restoring } = useRestore(maySee && !isWaiting)
  const mayRestore = restoring?.possible === true
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['backups'],
    queryFn: () => call<Backups>('GET', '/admin/backups'),
    enabled: !isWaiting,
    refetchInterval: ({ state }) =>
      state.data?.running || state.data?.data.some(isOpen) ? WATCH_MS : IDLE_MS,
  })
  const start = useMutation({
    mutationFn: ({ path }: { path: string; done: Text }) => call('POST', path),
    onSuccess: (_answer, { done }) => {
      notify(t(done), { type: 'info' })
      void client.invalidateQueries({ queryKey: ['backups'] })
    },
    onError: (refused) => notify(messageOf(refused), { type: 'error' }),
  })
  const fetchBackup = async ({ name }: Backup, proof: Wire) => {
    const { url } = await call<{ url: string }>('POST', `/admin/backups/${name}/downloads`, { body: proof })
    const link = document.createElement('a')
    link.href = new URL(url, location.href).pathname
    link.download = name
    link.click()
  }
  const restore = async (backup: string | null, proof: Wire) => {
    await call('POST', '/admin/restore', { body: { ...proof, ...(backup === null ? {} : { backup }) } })
    setWaiting(true)
    await waitForRestore()
    setWaiting(false)
    await client.invalidateQueries()
  }
  if (isWaiting)
    return (
      <Box role="status" sx={{ pt: 8, textAlign: 'center' }}>
        <Title title={t(['Backups', '备份'])} />
        <CircularProgress aria-hidden />
        <Typography variant="h6" component="h1">
          {t(['The server is restoring the backup', '服务器正在恢复备份'])}
        </Typography>
        <Typography color="textSecondary">
          {t([
            'This may take from seconds to hours. Afterwards, sign in with an account of the restored site.',
            '可能需要数秒到数小时。完成后请使用被恢复站点的账号登录。',
          ])}
        </Typography>
      </Box>
    )
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Backups', '备份'])} />
      <Stack direction="row" sx={{ alignItems: 'center', mb: 1, flexWrap: 'wrap' }}>
        <Typography variant="h4" component="h1" sx={{ flex: 1 }}>
          {t(['Backups', '备份'])}
        </Typography>
        {data?.place != null && (
          <Button
            variant="contained"
            disabled={data.running || start.isPending}
            onClick={() =>
              start.mutate({
                path: '/admin/backups',
                done: ['The backup has started.', '备份已开始。'],
              })
            }
          >
            {data.running ? t(['Backing up…', '正在备份…']) : t(['Back up now', '立即备份'])}
          </Button>
        )}
      </Stack>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && (
        <div role="status" aria-label={t(['Loading…', '加载中…'])}>
          <Skeleton variant="rounded" height={240} />
        </div>
      )}
      {mayRestore && <RestoreCard state={restoring} restore={() => setRestored(null)} />}
      {data?.place === null && (
        <Alert severity="warning">
          {t([
            'No place for backups is configured. Set BACKUP_TO to a folder or a bucket, then restart the server.',
            '尚未配置备份位置。请将 BACKUP_TO 设为文件夹或存储桶，然后重启服务器。',
          ])}
        </Alert>
      )}
      {data?.place != null && (
        <>
          <Typography color="textSecondary" sx={{ overflowWrap: 'anywhere' }} gutterBottom>
            {t(['Kept at', '保存位置'])} <code>{data.place}</code>
          </Typography>
          {!data.encrypts && (
            <Alert severity="info" sx={{ mb: 2 }}>
              {t([
                'New backups are not encrypted. Set BACKUP_PASSPHRASE to encrypt them.',
                '新的备份未加密。设置 BACKUP_PASSPHRASE 即可加密。',
              ])}
            </Alert>
          )}
          {data.fault !== null && <Alert severity="error">{data.fault}</Alert>}
          {data.fault === null && data.data.length === 0 && (
            <EmptyState icon="backup" text={['No backup has been made yet.', '尚未进行过备份。']} />
          )}
          {data.data.length > 0 && (
            <Card sx={(theme) => ({ overflowX: 'auto', [theme.breakpoints.down('sm')]: STACKED })}>
              <Table size="small" aria-label={t(['Backups', '备份'])}>
                <TableHead>
                  <TableRow>
                    {HEADINGS.map((heading) => (
                      <TableCell key={heading[0]}>{t(heading)}</TableCell>
                    ))}
                    <TableCell>{t(['Actions', '操作'])}</TableCell>
                  </TableRow>
                </TableHead>
                <TableBody>
                  {data.data.map((backup) => (
                    <BackupRow
                      key={backup.name}
                      backup={backup}
                      check={() =>
                        start.mutate({
                          path: `/admin/backups/${backup.name}/checks`,
                          done: [
                            'The check has started. It restores the backup into a throw-away database.',
                            '检查已开始：备份会恢复到一个临时数据库中。',
                          ],
                        })
                      }
                      download={maySee ? () => setDownload(backup) : undefined}
                      restore={mayRestore ? () => setRestored(backup.name) : undefined}
                    />
                  ))}
                </TableBody>
              </Table>
            </Card>
          )}
        </>
      )}
      {data?.place != null && !mayRestore && data.data.length > 0 && (
        <Typography color="textSecondary" sx={{ mt: 2, overflowWrap: 'anywhere' }}>
          {t([
            'To restore a backup into another installation, run there:',
            '要将备份恢复到另一处安装，请在那里运行：',
          ])}{' '}
          <Copyable text={`npx kith restore ${placeOf(data)}`} label={t(['Command', '命令'])}>
            <code>npx kith restore {placeOf(data)}</code>
          </Copyable>
        </Typography>
      )}
      {restored !== undefined && (
        <ProofDialog
          title={['Replace this site by the backup', '用备份替换此站点']}
          text={[
            'Everything of this site is deleted, also your account and all settings. The server restarts, and the site is away meanwhile. Afterwards, sign in with an account of the restored site.',
            '此站点的全部内容将被删除，包括您的账号与所有设置。服务器会重启，期间站点无法访问。完成后请使用被恢复站点的账号登录。',
          ]}
          action={['Delete and restore', '删除并恢复']}
          tone="error"
          close={() => setRestored(undefined)}
          send={(proof) => restore(restored, proof)}
        />
      )}
      {download && (
        <ProofDialog
          title={['Download the backup', '下载备份']}
          text={
            download.encrypted
              ? [
                  'The file is encrypted. It is useless without BACKUP_PASSPHRASE, so keep the passphrase in another place.',
                  '该文件已加密。没有 BACKUP_PASSPHRASE 便无法使用，请将密码短语另行保存。',
                ]
              : [
                  'The file contains all messages and the secret of the site, perhaps without encryption. Store it where no one else can read it.',
                  '该文件包含全部消息与站点密钥，可能未加密。请保存在他人无法读取的位置。',
                ]
          }
          action={['Download', '下载']}
          close={() => setDownload(undefined)}
          send={(proof) => fetchBackup(download, proof)}
        />
      )}
    </Box>
  )
}

const placeOf = ({ place, data }: Backups) => `${place?.replace(/\/+$/, '')}/${data[0]?.name}`

/** Stacks the cells of each row on phones, which are too narrow for the actions beside them. */
const STACKED = {
  '& thead': HIDDEN,
  '& tbody tr': { display: 'block', py: 1, borderBottom: 1, borderColor: 'divider' },
  '& tbody tr:last-of-type': { borderBottom: 0 },
  '& tbody td': { display: 'block', border: 0, py: 0.25 },
  '& td[data-label]::before': { content: 'attr(data-label) ": "', color: 'text.secondary' },
}

const HEADINGS: readonly Text[] = [
  ['Made', '备份时间'],
  ['Size', '大小'],
  ['Encryption', '加密'],
  ['Last check', '上次检查'],
]

function BackupRow({
  backup,
  check,
  download,
  restore,
}: {
  backup: Backup
  check(): void
  download: (() => void) | undefined
  restore: (() => void) | undefined
}) {
  const t = useText()
  const [locale] = useLocaleState()
  const { name, bytes, made_at: madeAt, encrypted } = backup
  const [, size, encryption, lastCheck] = HEADINGS.map((heading) => t(heading))
  return (
    <TableRow data-backup={name}>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <Value value={madeAt} as="time" />
      </TableCell>
      <TableCell data-label={size} sx={{ whiteSpace: 'nowrap' }}>
        {sizeOf(bytes, locale)}
      </TableCell>
      <TableCell data-label={encryption}>
        {encrypted === null
          ? t(['unknown', '未知'])
          : encrypted
            ? t(['encrypted', '已加密'])
            : t(['not encrypted', '未加密'])}
      </TableCell>
      <TableCell data-label={lastCheck}>
        <CheckResult check={backup.check} />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <Button size="small" disabled={isOpen(backup)} onClick={check}>
          {t(['Check', '检查'])}
        </Button>
        {download && (
          <Button size="small" onClick={download}>
            {t(['Download', '下载'])}
          </Button>
        )}
        {restore && (
          <Button size="small" color="error" onClick={restore}>
            {t(['Restore', '恢复'])}
          </Button>
        )}
      </TableCell>
    </TableRow>
  )
}

function CheckResult({ check }: { check: Check | null }) {
  const t = useText()
  if (!check) return t(['not checked yet', '尚未检查'])
  if (check.state === 'waiting') return t(['waiting', '等待检查'])
  if (check.state === 'running') return t(['checking…', '正在检查…'])
  return (
    <Box sx={{ color: check.state === 'good' ? 'success.main' : 'error.main', overflowWrap: 'anywhere' }}>
      {check.state === 'good'
        ? t(['can be restored, ', '可以恢复，'])
        : t(['cannot be restored, ', '无法恢复，'])}
      <Value value={check.checked_at} as="time" />
      {check.fault !== null && <div>{check.fault}</div>}
    </Box>
  )
}
