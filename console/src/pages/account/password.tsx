import { Alert, Box, Button, Checkbox, FormControlLabel, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNotify } from 'react-admin'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useText } from '../../shell/text.ts'

export function Password({ name }: { name: string }) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [fault, setFault] = useState('')
  const { data: links = [] } = useQuery({
    queryKey: ['links'],
    queryFn: () => call<unknown[]>('GET', '/user/linked-accounts'),
  })
  const change = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { old, password, again, unlink } = Object.fromEntries(new FormData(form))
    if (password !== again)
      return setFault(t(['The new passwords do not match.', '两次输入的新密码不一致。']))
    setFault('')
    try {
      await call('PUT', '/user/password', {
        body: {
          ...{ old_password: old, password, password_confirmation: again },
          ...(unlink ? { unlink_accounts: true } : {}),
        },
      })
      form.reset()
      notify(t(['Password changed', '密码已修改']), { type: 'success' })
      await Promise.all([['sessions'], ['links']].map((queryKey) => client.invalidateQueries({ queryKey })))
    } catch (refused) {
      setFault(messageOf(refused))
    }
  }
  return (
    <Box
      component="form"
      onSubmit={change}
      aria-label={t(['Change password', '修改密码'])}
      sx={{ maxWidth: 400 }}
    >
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <TextField
        name="old"
        type="password"
        required
        label={t(['Current password', '当前密码'])}
        autoComplete="current-password"
        slotProps={{ htmlInput: { maxLength: 128 } }}
      />
      <TextField
        name="password"
        type="password"
        required
        label={t(['New password', '新密码'])}
        autoComplete="new-password"
        slotProps={{ htmlInput: { maxLength: 128 } }}
      />
      <TextField
        name="again"
        type="password"
        required
        label={t(['New password again', '再次输入新密码'])}
        autoComplete="new-password"
        slotProps={{ htmlInput: { maxLength: 128 } }}
      />
      <Typography variant="body2" color="textSecondary">
        {t(['This signs you out on all other devices.', '修改后，您将在其他设备上退出登录。'])}
      </Typography>
      {links.length > 0 && (
        <FormControlLabel
          control={<Checkbox name="unlink" />}
          label={t([
            'Also unlink external accounts, which can sign in without the password',
            '同时解除第三方账号的绑定（第三方账号无需密码即可登录）',
          ])}
        />
      )}
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Button type="submit" variant="contained" sx={{ mt: 1 }}>
        {t(['Change password', '修改密码'])}
      </Button>
    </Box>
  )
}
