import { Alert, Box, Card, CardContent, MenuItem, TextField, Typography } from '@mui/material'
import { type ReactNode, useId } from 'react'
import { Title, useGetIdentity, useLocaleState } from 'react-admin'
import { useSearchParams } from 'react-router'
import { type Text, useText } from '../../shell/text.ts'
import { Sessions } from '../person/sessions.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'

export function AccountPage() {
  const t = useText()
  const [asked] = useSearchParams()
  const [locale, setLocale] = useLocaleState()
  const { data: identity } = useGetIdentity()
  const isRequired = asked.get('second-factor') === 'required'
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 760 }}>
      <Title title={t(['My account', '我的账号'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['My account', '我的账号'])}
      </Typography>
      {identity?.fullName && (
        <Typography color="textSecondary" gutterBottom>
          {t([`Signed in as ${identity.fullName}`, `当前登录：${identity.fullName}`])}
        </Typography>
      )}
      {isRequired && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t([
            'This site requires two-step verification from administrators. Turn it on below to use the rest of the console.',
            '本站要求管理员开启两步验证。请先在下方开启，再使用管理后台的其他功能。',
          ])}
        </Alert>
      )}
      <Section label={['Two-step verification', '两步验证']}>
        <SecondFactor isRequired={isRequired} />
      </Section>
      <Section label={['Password', '密码']}>
        <Password name={identity?.fullName ?? ''} />
      </Section>
      <Section label={['Sessions', '登录设备']}>
        <Sessions base="/user/sessions" mayEnd isOwn />
      </Section>
      <Section label={['Language', '语言']}>
        <TextField
          select
          label={t(['Console language', '管理后台语言'])}
          value={locale}
          onChange={(event) => setLocale(event.target.value)}
          sx={{ maxWidth: 280 }}
        >
          <MenuItem value="en">English</MenuItem>
          <MenuItem value="zh">中文</MenuItem>
        </TextField>
      </Section>
    </Box>
  )
}

function Section({ label, children }: { label: Text; children: ReactNode }) {
  const t = useText()
  const id = useId()
  return (
    <Card component="section" aria-labelledby={id} sx={{ mb: 2 }}>
      <CardContent>
        <Typography variant="h6" component="h2" id={id} gutterBottom>
          {t(label)}
        </Typography>
        {children}
      </CardContent>
    </Card>
  )
}
