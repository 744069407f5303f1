import { Alert, Box, Button, Typography } from '@mui/material'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { useText } from '../../shell/text.ts'
import type { StepProps } from './setup-page.tsx'

export function InviteStep({ done }: StepProps) {
  const t = useText()
  const [link, setLink] = useState('')
  const [fault, setFault] = useState('')
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
