import { Alert, Box, Button, Card, CardContent, LinearProgress, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, kith, refusal } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { FileButton } from '../../shell/file-button.tsx'
import { sizeOf } from '../../shell/size.ts'
import { type Text, useText } from '../../shell/text.ts'

export type RestoreState = {
  possible: boolean
  uploaded: number | null
  requested: boolean
  outcome: { ended_at: string; fault: string | null } | null
}

export const useRestore = (isAllowed: boolean) =>
  useQuery({
    queryKey: ['restore'],
    queryFn: () => call<RestoreState>('GET', '/admin/restore'),
    enabled: isAllowed,
  })

const ATTEMPTS = 4
const RETRY_MS = 1_000

/** Sends a file in parts, so that no proxy refuses it and a broken connection costs one part. */
async function uploadBackup(file: File, told: (bytes: number) => void): Promise<void> {
  const { url, part_bytes: most } = await call<{ url: string; part_bytes: number }>(
    'POST',
    '/admin/restore/uploads',
  )
  const path = new URL(url, location.href).pathname
  for (let at = 0; at < file.size; at += most) {
    const send = () =>
      fetch(`${path}?offset=${at}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: file.slice(at, at + most),
      })
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send().catch(() => undefined)
      if (answer?.ok) break
      const isFinal = answer !== undefined && answer.status < 500 && answer.status !== 429
      if (isFinal || attempt === ATTEMPTS)
        throw refusal(answer ?? new Response(null, { status: 503 }), await answer?.json().catch(() => ({})))
      await new Promise((resolve) => setTimeout(resolve, attempt * RETRY_MS))
    }
    told(Math.min(file.size, at + most))
  }
}

/** Offers the upload of a backup to a site that has no members yet. */
export function RestoreCard({ state, restore }: { state: RestoreState; restore(): void }) {
  const t = useText()
  const client = useQueryClient()
  const [progress, setProgress] = useState<{ sent: number; of: number }>()
  const [fault, setFault] = useState('')
  const send = async (file: File | undefined) => {
    if (!file) return
    setFault('')
    setProgress({ sent: 0, of: file.size })
    try {
      await uploadBackup(file, (sent) => setProgress({ sent, of: file.size }))
    } catch (error) {
      setFault(messageOf(error))
    }
    setProgress(undefined)
    await client.invalidateQueries({ queryKey: ['restore'] })
  }
  return (
    <Card component="section" aria-label={t(['Restore a site', '恢复站点'])} data-restore sx={{ mb: 2 }}>
      <CardContent>
        <Typography variant="h6" component="h2" gutterBottom>
          {t(['Restore a site', '恢复站点'])}
        </Typography>
        <Typography color="textSecondary" gutterBottom>
          {t([
            'This site has no members yet, so a backup of another one may replace it. Choose a backup below, or upload one.',
            '此站点还没有成员，因此可以用其他站点的备份替换。请从下方选择备份，或上传备份文件。',
          ])}
        </Typography>
        {state.outcome?.fault != null && (
          <Alert severity="error" sx={{ my: 1 }}>
            {t(['The last restore did not change this site:', '上次恢复未改变此站点：'])}{' '}
            {state.outcome.fault}
          </Alert>
        )}
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', mt: 1 }}>
          <FileButton
            accept=".backup,application/octet-stream"
            disabled={progress !== undefined}
            choose={(file) => void send(file)}
          >
            {t(['Upload a backup', '上传备份'])}
          </FileButton>
          {state.uploaded !== null && state.uploaded > 0 && progress === undefined && (
            <Button variant="contained" color="error" onClick={restore}>
              {t(['Restore the uploaded backup', '恢复已上传的备份'])}
            </Button>
          )}
        </Box>
        <Box role="status" sx={{ mt: 1 }}>
          {progress && <Progress {...progress} />}
        </Box>
        <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      </CardContent>
    </Card>
  )
}

function Progress({ sent, of }: { sent: number; of: number }) {
  const t = useText()
  const locale = document.documentElement.lang
  const text: Text = [
    `Uploading: ${sizeOf(sent, locale)} of ${sizeOf(of, locale)}`,
    `正在上传：${sizeOf(sent, locale)} / ${sizeOf(of, locale)}`,
  ]
  return (
    <>
      <Typography variant="body2">{t(text)}</Typography>
      <LinearProgress
        variant="determinate"
        aria-label={t(['Upload', '上传'])}
        value={of > 0 ? (100 * sent) / of : 100}
      />
    </>
  )
}

const WATCH_MS = 2_000

/**
 * Waits until the server has restarted. After a restore the token is unknown, so the session ends and the sign-in page
 * opens. Otherwise the site is unchanged.
 */
export async function waitForRestore(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS))
    // Fails while no server listens.
    const state = await call<RestoreState>('GET', '/admin/restore').catch(() => undefined)
    if (state?.requested === false || !(await kith.session.isSignedIn())) return
  }
}
