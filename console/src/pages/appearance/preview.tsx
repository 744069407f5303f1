import { Box, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { useLocaleState } from 'react-admin'
import mark from '../../mark.svg'
import { type Text, useText } from '../../shell/text.ts'
import { STANDARD, useColours } from './colours.ts'
import type { Draft } from './fields.tsx'

const THEMES = {
  light: { paper: '#fbfaf8', card: '#ffffff', ink: '#1c2321', quiet: '#5b6764', line: '#e6e2dc' },
  dark: { paper: '#121514', card: '#1a1e1d', ink: '#e8edeb', quiet: '#9baaa5', line: '#2b3230' },
} as const

type Theme = keyof typeof THEMES
type Shown = { name: string; welcome: string; logo: string | undefined; hasName: boolean }
type Accent = { accent: string; on: string; soft: string }

const FALLBACK: Record<Theme, Accent> = {
  light: { accent: '#0b7468', on: '#ffffff', soft: '#e2f2ef' },
  dark: { accent: '#5fd0c0', on: '#06231f', soft: '#16312d' },
}

/** The site in both themes, a mail and a phone with the changes that are not saved yet. */
export function Preview({
  draft,
  name,
  logo,
  icon,
}: {
  draft: Draft
  name: string
  logo: string | undefined
  icon: string | undefined
}) {
  const t = useText()
  const [locale] = useLocaleState()
  const textOf = (setting: string) =>
    String(draft.value(`${setting}-${locale}`) ?? draft.value(setting) ?? '')
  const accent = draft.value('site:accent') as string | null
  const chosen = useColours(accent ?? STANDARD)
  const colours = accent === null ? FALLBACK : (chosen ?? FALLBACK)
  const shown = {
    name: textOf('site:name') || name,
    welcome:
      textOf('site:welcome') ||
      t(['Follow people, ask questions and share what you see.', '关注用户，提问交流，分享见闻。']),
    logo,
    hasName: draft.value('site:logo-has-name') === true,
  }
  return (
    <Stack
      component="section"
      aria-label={t(['Preview', '预览'])}
      spacing={2}
      sx={{ position: { lg: 'sticky' }, top: { lg: 64 }, alignSelf: 'start', minWidth: 0 }}
    >
      {(['light', 'dark'] as const).map((theme) => (
        <Part
          key={theme}
          label={
            theme === 'light' ? ['Site, light theme', '网站（浅色）'] : ['Site, dark theme', '网站（深色）']
          }
        >
          <Site theme={theme} colours={colours[theme]} shown={shown} />
        </Part>
      ))}
      <Part label={['Mail', '邮件']}>
        <Mail
          name={shown.name}
          accent={colours.light.accent}
          isPoweredBy={draft.value('site:powered-by') === true}
        />
      </Part>
      <Part label={['Phone', '手机']}>
        <Phone name={shown.name} icon={icon ?? mark} />
      </Part>
    </Stack>
  )
}

function Part({ label, children }: { label: Text; children: ReactNode }) {
  const t = useText()
  return (
    <Box component="figure" sx={{ m: 0 }} data-preview={label[0]}>
      <Typography component="figcaption" variant="caption" color="textSecondary">
        {t(label)}
      </Typography>
      {children}
    </Box>
  )
}

function Site({ theme, colours, shown }: { theme: Theme; colours: Accent; shown: Shown }) {
  const t = useText()
  const { paper, card, ink, quiet, line } = THEMES[theme]
  const { name, welcome, logo, hasName } = shown
  return (
    <Box
      sx={{ bgcolor: paper, color: ink, border: `1px solid ${line}`, borderRadius: 2, overflow: 'hidden' }}
    >
      <Stack
        direction="row"
        spacing={1}
        sx={{ alignItems: 'center', p: 1.5, borderBottom: `1px solid ${line}` }}
      >
        <Box
          component="img"
          src={logo ?? mark}
          alt={logo && hasName ? name : ''}
          sx={{ height: 28, maxWidth: 140, objectFit: 'contain' }}
        />
        {!(logo && hasName) && (
          <Typography component="span" noWrap sx={{ fontWeight: 700, flex: 1, color: ink }}>
            {name}
          </Typography>
        )}
      </Stack>
      <Box sx={{ m: 1.5, p: 1.5, bgcolor: card, border: `1px solid ${line}`, borderRadius: 2 }}>
        <Typography variant="body2" sx={{ color: ink, whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {welcome}
        </Typography>
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mt: 1 }}>
          <Box
            component="span"
            sx={{
              bgcolor: colours.accent,
              color: colours.on,
              borderRadius: 99,
              px: 2,
              py: 0.5,
              fontWeight: 600,
            }}
          >
            {t(['Sign up', '注册'])}
          </Box>
          <Box component="span" sx={{ color: colours.accent }}>
            {t(['A link', '链接'])}
          </Box>
          <Box
            component="span"
            sx={{ bgcolor: colours.soft, color: colours.accent, borderRadius: 1, px: 1, py: 0.25 }}
          >
            {t(['Topic', '话题'])}
          </Box>
        </Stack>
        <Typography variant="caption" sx={{ color: quiet }}>
          {t(['5 minutes ago', '5 分钟前'])}
        </Typography>
      </Box>
    </Box>
  )
}

function Mail({ name, accent, isPoweredBy }: { name: string; accent: string; isPoweredBy: boolean }) {
  const t = useText()
  return (
    <Box sx={{ bgcolor: '#f4f6f6', color: '#1d2424', p: 2, borderRadius: 2 }}>
      <Typography variant="body2" sx={{ fontWeight: 600, color: '#1d2424' }}>
        {name}
      </Typography>
      <Typography variant="body2" gutterBottom sx={{ color: '#1d2424' }}>
        {t([`Your data export is ready · ${name}`, `数据导出已完成 · ${name}`])}
      </Typography>
      <Box sx={{ bgcolor: '#ffffff', borderRadius: 2, p: 2, overflowWrap: 'anywhere' }}>
        {t(['Your data is ready to download.', '您的数据已可下载。'])}
        <Box sx={{ color: accent, textDecoration: 'underline', mt: 1 }}>{location.host}/account/exports</Box>
      </Box>
      <Typography
        variant="caption"
        component="p"
        sx={{ textAlign: 'center', mt: 1, mb: 0, color: '#5b6764' }}
      >
        {name} · {location.host}
        {isPoweredBy && (
          <>
            <br />
            Powered by Kith
          </>
        )}
      </Typography>
    </Box>
  )
}

function Phone({ name, icon }: { name: string; icon: string }) {
  const t = useText()
  return (
    <Stack
      direction="row"
      spacing={2}
      sx={{ bgcolor: '#26332f', color: '#ffffff', p: 2, borderRadius: 2, alignItems: 'center' }}
    >
      <Box sx={{ width: 72, textAlign: 'center' }}>
        <Box
          component="img"
          src={icon}
          alt=""
          sx={{ width: 52, height: 52, borderRadius: 3, bgcolor: '#ffffff', p: 0.5, objectFit: 'contain' }}
        />
        <Typography variant="caption" component="p" noWrap sx={{ m: 0, color: '#ffffff' }}>
          {name}
        </Typography>
      </Box>
      <Box sx={{ flex: 1, minWidth: 0, bgcolor: 'rgba(255,255,255,.14)', borderRadius: 2, p: 1.25 }}>
        <Typography variant="body2" noWrap sx={{ fontWeight: 600, color: '#ffffff' }}>
          {name}
        </Typography>
        <Typography variant="body2" sx={{ color: '#ffffff' }}>
          {t(['Your data export is ready.', '您的数据导出已完成。'])}
        </Typography>
      </Box>
    </Stack>
  )
}
