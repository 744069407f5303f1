import { Alert, Box, Button, Card, CardContent, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Title, useNotify } from 'react-admin'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { SITE_QUERY } from '../../shell/site-name.ts'
import { ErrorState } from '../../shell/states.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { ColourField } from './colour-field.tsx'
import { type Draft, FlagField, LanguagesField, TextSetting } from './fields.tsx'
import { PictureField } from './picture-field.tsx'
import { Preview } from './preview.tsx'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function AppearancePage() {
  const t = useText()
  const client = useQueryClient()
  const notify = useNotify()
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: () => call<Wire>('GET', '/admin/settings'),
  })
  const boot = useQuery(SITE_QUERY)
  const [changes, setChanges] = useState<Wire>({})
  const [shown, setShown] = useState<Record<string, string | null>>({})
  const [fault, setFault] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  if (settings.error) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />
  if (!settings.data || !boot.data) return <Skeleton variant="rounded" height={500} sx={{ mt: 2 }} />
  const stored = settings.data
  const identity = boot.data.identity

  const draft: Draft = {
    value: (name) => (name in changes ? changes[name] : stored[name]),
    set: (name, value) =>
      setChanges(({ [name]: _, ...rest }) => (same(value, stored[name]) ? rest : { ...rest, [name]: value })),
  }
  const reset = () => {
    setChanges({})
    setShown({})
    setFault(undefined)
  }
  const save = async () => {
    setSending(true)
    setFault(undefined)
    try {
      await call('PATCH', '/admin/settings', { body: changes })
      await Promise.all([
        client.invalidateQueries({ queryKey: ['settings'] }),
        client.invalidateQueries({ queryKey: SITE_QUERY.queryKey }),
      ])
      reset()
      notify(t(['Saved. Visitors see the new look now.', '已保存，访客现在看到的是新外观。']), {
        type: 'success',
      })
    } catch (error) {
      setFault(error)
    } finally {
      setSending(false)
    }
  }
  const pictureOf = (name: 'logo' | 'icon' | 'picture') => {
    const setting = `site:${name}`
    if (setting in shown) return shown[setting] ?? undefined
    return stored[setting] === null ? undefined : identity[name]
  }
  const choose = (setting: string) => (node: string | null, address: string | null) => {
    draft.set(setting, node)
    setShown((known) => ({ ...known, [setting]: address }))
  }
  const isChanged = Object.keys(changes).length > 0
  return (
    <Box sx={{ pt: 2, pb: 10, maxWidth: 1280 }}>
      <Title title={t(['Appearance', '外观'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Appearance', '外观'])}
      </Typography>
      <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 1fr) 26rem' } }}>
        <Stack spacing={2} sx={{ minWidth: 0 }}>
          <Section label={['Name and texts', '名称与文字']}>
            <LanguagesField draft={draft} name="site:name" placeholder={identity.name} />
            <LanguagesField draft={draft} name="site:description" />
            <LanguagesField draft={draft} name="site:welcome" isLong />
            <TextSetting draft={draft} name="site:contact" />
            <TextSetting draft={draft} name="site:imprint" isLong />
            <FlagField draft={draft} name="site:powered-by" />
          </Section>
          <Section label={['Colour', '颜色']}>
            <ColourField draft={draft} />
          </Section>
          <Section label={['Pictures', '图片']}>
            <PictureField
              name="site:logo"
              note={[
                'At least 64 × 64 pixels. The header shows it 32 pixels high.',
                '至少 64 × 64 像素，在页眉中高 32 像素。',
              ]}
              address={pictureOf('logo')}
              choose={choose('site:logo')}
            />
            <FlagField draft={draft} name="site:logo-has-name" />
            <PictureField
              name="site:icon"
              note={[
                'Square, at least 192 × 192 pixels. All sizes for browsers and phones are drawn from it.',
                '正方形，至少 192 × 192 像素，浏览器和手机所需的各种尺寸均由它生成。',
              ]}
              address={pictureOf('icon')}
              choose={choose('site:icon')}
            />
            <PictureField
              name="site:picture"
              note={[
                'At least 600 × 315 pixels. Other sites show it beside links to this site.',
                '至少 600 × 315 像素，其他网站显示本站链接时使用。',
              ]}
              address={pictureOf('picture')}
              choose={choose('site:picture')}
            />
          </Section>
        </Stack>
        <Preview draft={draft} name={identity.name} logo={pictureOf('logo')} icon={pictureOf('icon')} />
      </Box>
      {isChanged && (
        <Stack
          direction="row"
          spacing={1}
          sx={{
            ...{ position: 'sticky', bottom: 0, mt: 2, py: 1.5, px: 2, alignItems: 'center', zIndex: 2 },
            ...{ bgcolor: 'background.paper', border: 1, borderColor: 'divider', borderRadius: 2 },
          }}
        >
          <Box role="alert" sx={{ flex: 1, minWidth: 0 }}>
            {fault !== undefined && <Alert severity="error">{messageOf(fault)}</Alert>}
          </Box>
          <Button onClick={reset} disabled={isSending}>
            {t(['Discard', '放弃更改'])}
          </Button>
          <Button variant="contained" onClick={() => void save()} disabled={isSending}>
            {t(['Save', '保存'])}
          </Button>
        </Stack>
      )}
    </Box>
  )
}

function Section({ label, children }: { label: Text; children: ReactNode }) {
  const t = useText()
  return (
    <Card component="section" aria-label={t(label)}>
      <CardContent>
        <Typography variant="h6" component="h2" gutterBottom>
          {t(label)}
        </Typography>
        {children}
      </CardContent>
    </Card>
  )
}
