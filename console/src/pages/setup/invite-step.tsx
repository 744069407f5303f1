import { Alert, Box, Button, Typography } from '@mui/material'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useHealth } from '../../home/health-card.tsx'
import { Copyable } from '../../shell/copyable.tsx'
import { useText } from '../../shell/text.ts'
import type { StepProps } from './setup-page.tsx'

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

export function InviteStep({ done }: StepProps) {
  const t = useText()
  const [link, setLink] = useState('')
  const [fault, setFault] = useState('')
  const { parts } = useHealth()
  const sendsNoCodes = ['mail', 'sms'].every((name) =>
    parts.some((part) => part.name === name && part.state === 'off'),
  )
  const create = async () => {
    try {
      const { code } = await call<{ code: string }>('POST', '/user/invitations', { body: {} })
      setLink(`${location.origin}/join?invitation=${encodeURIComponent(code)}`)
      setFault('')
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  return (
    <>
      <Typography gutterBottom>
        {t([
          'Create a link and send it to the first members. It shows who invited them.',
          '创建邀请链接并发给首批成员，系统会记录邀请关系。',
        ])}
      </Typography>
      {sendsNoCodes && (
        <Alert severity="warning" sx={{ mb: 1 }}>
          {t([
            'Invited people need a code to sign up. The server writes codes into its log until SMTP_URL or a service for text messages is set.',
            '受邀者注册需要验证码。在设置 SMTP_URL 或短信服务之前，验证码只写入服务器日志。',
          ])}
        </Alert>
      )}
      {LOCAL.has(location.hostname) && (
        <Alert severity="warning" sx={{ mb: 1 }}>
          {t([
            'A link created here works on this machine only. Open the console at the address of the site (PUBLIC_URL).',
            '在此创建的链接只能在本机打开。请通过站点地址（PUBLIC_URL）打开控制台。',
          ])}
        </Alert>
      )}
      {link === '' ? (
        <Button onClick={() => void create()}>{t(['Create a link', '创建链接'])}</Button>
      ) : (
        <Typography data-invitation sx={{ overflowWrap: 'anywhere', my: 1 }}>
          <Copyable text={link} label={t(['invitation', '邀请链接'])}>
            <code>{link}</code>
          </Copyable>
        </Typography>
      )}
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Button variant="contained" disabled={link === ''} onClick={() => void done()}>
        {t(['Continue', '继续'])}
      </Button>
    </>
  )
}
