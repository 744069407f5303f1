import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useText } from '../../shell/text.ts'
import type { StepProps } from './setup-page.tsx'

export function MailStep({ done }: StepProps) {
  const t = useText()
  const [to, setTo] = useState('')
  const [result, setResult] = useState<{ isGood: boolean; text: string }>()
  const [isSending, setSending] = useState(false)
  const send = async () => {
    setSending(true)
    try {
      await call('POST', '/admin/mails/code/test', { body: { to } })
      setResult({
        isGood: true,
        text: t([`The mail server accepted the test for ${to}.`, `邮件服务器已接收发往 ${to} 的测试邮件。`]),
      })
    } catch (error) {
      setResult({ isGood: false, text: messageOf(error) })
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <Typography gutterBottom>
        {t([
          'Members receive codes and notices by mail. The server sends mail when SMTP_URL is set in its environment.',
          '验证码和通知通过邮件发送。在服务器环境变量中设置 SMTP_URL 后即可发送邮件。',
        ])}
      </Typography>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
        <TextField
          type="email"
          label={t(['Send a test to', '测试邮件收件人'])}
          value={to}
          onChange={({ target }) => setTo(target.value)}
          sx={{ maxWidth: 320 }}
        />
        <Button disabled={isSending || !to.includes('@')} onClick={() => void send()}>
          {t(['Send a test', '发送测试'])}
        </Button>
      </Stack>
      <Box role="status" sx={{ my: 1 }}>
        {result && <Alert severity={result.isGood ? 'success' : 'error'}>{result.text}</Alert>}
      </Box>
      <Button variant="contained" disabled={!result?.isGood} onClick={() => void done()}>
        {t(['Continue', '继续'])}
      </Button>
    </>
  )
}
