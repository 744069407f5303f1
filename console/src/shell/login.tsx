import { isKithError } from '@kith/client'
import { Alert, Box, Button, Card, CircularProgress, TextField, Typography } from '@mui/material'
import { type FormEvent, useEffect, useState } from 'react'
import { LocalesMenuButton, useLogin, useTranslate } from 'react-admin'
import { messageOf } from '../api/message.ts'
import { useSiteHead } from './site-name.ts'
import { useText } from './text.ts'

export function LoginPage() {
  const t = useText()
  const translate = useTranslate()
  const login = useLogin()
  const { name, icon } = useSiteHead()
  const [fault, setFault] = useState('')
  const [isSending, setSending] = useState(false)
  const [wantsCode, setWantsCode] = useState(false)

  useEffect(() => {
    document.title = name
  }, [name])

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { username, password, code } = Object.fromEntries(new FormData(event.currentTarget))
    setSending(true)
    setFault('')
    try {
      await login({ username, password, code: code || undefined })
    } catch (error) {
      setSending(false)
      if (isKithError(error) && /factor/.test(error.code)) setWantsCode(true)
      setFault(translate(messageOf(error), { _: messageOf(error) }))
    }
  }

  return (
    <Box
      component="main"
      sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', bgcolor: 'background.default', p: 2 }}
    >
      <Card sx={{ width: 'min(100%, 24rem)', p: 4 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', mb: 3 }}>
          <Box component="img" src={icon} alt="" data-site-icon sx={{ width: 36, height: 36, mr: 1.5 }} />
          <Typography variant="h5" component="h1" sx={{ flex: 1 }}>
            {t([`${name} console`, `${name} 管理后台`])}
          </Typography>
          <LocalesMenuButton />
        </Box>
        <form onSubmit={send} aria-label={t(['Sign in', '登录'])}>
          <TextField
            name="username"
            label={t(['Name, e-mail or phone', '用户名、邮箱或手机号'])}
            autoComplete="username"
            autoFocus
            required
            slotProps={{ htmlInput: { maxLength: 128 } }}
          />
          <TextField
            name="password"
            type="password"
            label={t(['Password', '密码'])}
            autoComplete="current-password"
            required
            slotProps={{ htmlInput: { maxLength: 128 } }}
          />
          {wantsCode && (
            <TextField
              name="code"
              label={t(['Two-step verification code', '两步验证码'])}
              autoComplete="one-time-code"
              autoFocus
              required
              slotProps={{ htmlInput: { maxLength: 32, inputMode: 'numeric' } }}
            />
          )}
          <Box role="alert">
            {fault && (
              <Alert severity="error" sx={{ mt: 1.5 }}>
                {fault}
              </Alert>
            )}
          </Box>
          <Button
            type="submit"
            variant="contained"
            fullWidth
            size="large"
            disabled={isSending}
            sx={{ mt: 2 }}
          >
            {isSending ? (
              <CircularProgress size={22} aria-label={t(['Signing in', '登录中'])} />
            ) : (
              t(['Sign in', '登录'])
            )}
          </Button>
        </form>
      </Card>
    </Box>
  )
}
