import { Alert, Box, Button, Skeleton, Stack, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNotify } from 'react-admin'
import { encode } from 'uqr'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { ErrorState } from '../../shell/states.tsx'
import { plural, type Text, useText } from '../../shell/text.ts'

type Prepared = { secret: string; uri: string }

export function SecondFactor({ isRequired }: { isRequired: boolean }) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [prepared, setPrepared] = useState<Prepared>()
  const [codes, setCodes] = useState<string[]>()
  const [fault, setFault] = useState('')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['second-factor'],
    queryFn: () => call<{ enabled: boolean; recovery_codes: number }>('GET', '/user/second-factor'),
  })
  const act = (work: (given: string) => Promise<unknown>) => async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    setFault('')
    try {
      await work(String(new FormData(form).get('given')))
      form.reset()
      await client.invalidateQueries({ queryKey: ['second-factor'] })
    } catch (refused) {
      setFault(messageOf(refused))
    }
  }
  const prepare = act(async (password) =>
    setPrepared(await call<Prepared>('POST', '/user/second-factor', { body: { password } })),
  )
  const turnOn = act(async (code) => {
    const answer = await call<{ recovery_codes: string[] }>('PUT', '/user/second-factor', {
      body: { second_factor: code },
    })
    setPrepared(undefined)
    setCodes(answer.recovery_codes)
  })
  const renew = act(async (code) => {
    const answer = await call<{ recovery_codes: string[] }>('POST', '/user/second-factor/recovery-codes', {
      body: { second_factor: code },
    })
    setCodes(answer.recovery_codes)
  })
  const turnOff = act(async (code) => {
    await call('DELETE', '/user/second-factor', { body: { second_factor: code } })
    setCodes(undefined)
    notify(t(['Two-step verification turned off', '两步验证已关闭']), { type: 'success' })
  })
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton variant="rounded" height={120} />
  return (
    <>
      {codes && <RecoveryCodes codes={codes} isRequired={isRequired} close={() => setCodes(undefined)} />}
      {data.enabled ? (
        <>
          <Typography gutterBottom>
            {t([
              `Two-step verification is on. Signing in requires a code from your authenticator app. ${plural(data.recovery_codes, 'recovery code')} ${data.recovery_codes === 1 ? 'is' : 'are'} left.`,
              `两步验证已开启。登录时需输入身份验证器的动态码。剩余恢复码：${data.recovery_codes} 个。`,
            ])}
          </Typography>
          <CodeForm label={['Replace recovery codes', '重新生成恢复码']} send={renew} />
          {!isRequired && <CodeForm label={['Turn off', '关闭']} send={turnOff} tone="error" />}
        </>
      ) : prepared ? (
        <Stack direction={{ xs: 'column', sm: 'row' }} spacing={3}>
          <QrCode text={prepared.uri} label={t(['QR code for the authenticator app', '身份验证器二维码'])} />
          <Box sx={{ minWidth: 0 }}>
            <Typography>
              {t([
                'Scan this code with an authenticator app, or enter the key in the app:',
                '请用身份验证器扫描二维码，或手动输入密钥：',
              ])}
            </Typography>
            <Typography sx={{ overflowWrap: 'anywhere', mb: 1 }}>
              <Copyable text={prepared.secret} label={t(['Key', '密钥'])}>
                <code>{prepared.secret}</code>
              </Copyable>
            </Typography>
            <CodeForm label={['Turn on', '开启']} send={turnOn} />
          </Box>
        </Stack>
      ) : (
        <>
          <Typography gutterBottom>
            {t([
              'Two-step verification is off. Turn it on so that a password alone is not enough to sign in.',
              '两步验证未开启。开启后，仅凭密码无法登录。',
            ])}
          </Typography>
          <Box component="form" onSubmit={prepare} aria-label={t(['Set up', '设置'])} sx={{ maxWidth: 400 }}>
            <TextField
              name="given"
              type="password"
              required
              label={t(['Your password', '您的密码'])}
              autoComplete="current-password"
              slotProps={{ htmlInput: { maxLength: 128 } }}
            />
            <Button type="submit" variant="contained" sx={{ mt: 1 }}>
              {t(['Set up two-step verification', '设置两步验证'])}
            </Button>
          </Box>
        </>
      )}
      <Box role="alert">
        {fault && (
          <Alert severity="error" sx={{ mt: 1 }}>
            {fault}
          </Alert>
        )}
      </Box>
    </>
  )
}

function CodeForm({
  label,
  send,
  tone = 'primary',
}: {
  label: Text
  send: (event: FormEvent<HTMLFormElement>) => Promise<void>
  tone?: 'primary' | 'error'
}) {
  const t = useText()
  return (
    <Stack
      component="form"
      direction="row"
      spacing={1}
      onSubmit={(event: FormEvent<HTMLFormElement>) => void send(event)}
      aria-label={t(label)}
      sx={{ alignItems: 'center', maxWidth: 460, mb: 1 }}
    >
      <TextField
        name="given"
        required
        label={t(['Authenticator code', '动态码'])}
        autoComplete="one-time-code"
        slotProps={{ htmlInput: { maxLength: 32 } }}
        sx={{ maxWidth: 200 }}
      />
      <Button type="submit" variant="outlined" color={tone}>
        {t(label)}
      </Button>
    </Stack>
  )
}

function RecoveryCodes({
  codes,
  isRequired,
  close,
}: {
  codes: string[]
  isRequired: boolean
  close(): void
}) {
  const t = useText()
  return (
    <Alert severity="success" onClose={close} sx={{ mb: 2, '& .MuiAlert-message': { minWidth: 0 } }}>
      <Typography>
        {t([
          'Store these recovery codes where you can reach them without your phone. Each code works once. They are shown only now.',
          '请将恢复码保存在手机以外的地方，以便手机不在身边时登录。每个恢复码只能使用一次。恢复码仅显示这一次。',
        ])}
      </Typography>
      <Copyable text={codes.join('\n')} label={t(['Recovery codes', '恢复码'])}>
        <Box component="code" sx={{ display: 'block', columns: 2, my: 1 }}>
          {codes.map((code) => (
            <div key={code}>{code}</div>
          ))}
        </Box>
      </Copyable>
      {/* Reloads the console, to repeat the requests that the server rejected. */}
      {isRequired && <Button href="/admin/">{t(['Open the console', '进入管理后台'])}</Button>}
    </Alert>
  )
}

/** QR code as one SVG path, because the page's policy forbids generated markup. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={200} height={200} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
