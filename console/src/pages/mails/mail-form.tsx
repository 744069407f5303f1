import { Alert, Box, Button, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { type Text, useText } from '../../shell/text.ts'

type Texts = {
  subject_en: string | null
  text_en: string | null
  subject_zh: string | null
  text_zh: string | null
}
type Languages = 'both' | 'en' | 'zh'

export type Mail = Texts & {
  mail: string
  about: string
  languages: Languages
  in_language_of_reader: boolean
  is_changed: boolean
  original: { [Name in keyof Texts]: string }
  placeholders: { name: string; about: string; example: string; needed: boolean }[]
}

const FIELDS: readonly { name: keyof Texts; label: Text; language: 'en' | 'zh' }[] = [
  { name: 'subject_en', label: ['Subject in English', '英文标题'], language: 'en' },
  { name: 'text_en', label: ['Text in English', '英文正文'], language: 'en' },
  { name: 'subject_zh', label: ['Subject in Chinese', '中文标题'], language: 'zh' },
  { name: 'text_zh', label: ['Text in Chinese', '中文正文'], language: 'zh' },
]

type Preview = { subject: string; text: string }

export function MailForm({ mail, saved }: { mail: Mail; saved(): void }) {
  const t = useText()
  const notify = useNotify()
  const [languages, setLanguages] = useState<Languages>(mail.languages)
  const [texts, setTexts] = useState(
    () =>
      Object.fromEntries(
        FIELDS.map(({ name }) => [name, mail[name] ?? mail.original[name]]),
      ) as Mail['original'],
  )
  const [preview, setPreview] = useState<Preview>()
  const [fault, setFault] = useState('')
  const [isSending, setSending] = useState(false)

  // A text that equals the original is stored as no change, so that later versions of the server may correct it.
  const body = {
    languages,
    ...Object.fromEntries(
      FIELDS.map(({ name }) => [name, texts[name] === mail.original[name] ? null : texts[name]]),
    ),
  }
  const run = async (work: () => Promise<unknown>) => {
    setSending(true)
    setFault('')
    await work().catch((error) => setFault(messageOf(error)))
    setSending(false)
  }
  const path = `/admin/mails/${mail.mail}`
  const save = () =>
    run(async () => {
      await call('PATCH', path, { body })
      notify(t(['Saved. The next mail has the new text.', '已保存，之后的邮件将使用新内容。']), {
        type: 'success',
      })
      saved()
    })
  const restore = () =>
    run(async () => {
      await call('DELETE', path)
      setTexts(mail.original)
      setLanguages('both')
      setPreview(undefined)
      notify(t(['The original text is back.', '已恢复原文。']), { type: 'success' })
      saved()
    })
  const show = () => run(async () => setPreview(await call<Preview>('POST', `${path}/preview`, { body })))
  const sendTest = () =>
    run(async () => {
      await call('POST', `${path}/test`, { body })
      notify(t(['The test was sent to your address.', '测试邮件已发送到您的邮箱。']), { type: 'success' })
    })
  return (
    <Stack spacing={1}>
      <TextField
        select
        label={t(['Languages', '语言'])}
        value={languages}
        onChange={({ target }) => setLanguages(target.value as Languages)}
        sx={{ maxWidth: 320 }}
      >
        <MenuItem value="both">
          {mail.in_language_of_reader
            ? t(['Language of the reader', '收件人的语言'])
            : t(['Chinese and English', '中文和英文'])}
        </MenuItem>
        <MenuItem value="en">{t(['English only', '仅英文'])}</MenuItem>
        <MenuItem value="zh">{t(['Chinese only', '仅中文'])}</MenuItem>
      </TextField>
      {FIELDS.filter(({ language }) => languages === 'both' || languages === language).map(
        ({ name, label }) => (
          <TextField
            key={name}
            label={t(label)}
            value={texts[name]}
            multiline={name.startsWith('text')}
            minRows={name.startsWith('text') ? 3 : 1}
            maxRows={14}
            onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
            slotProps={{
              htmlInput: { 'data-field': name, maxLength: name.startsWith('text') ? 10_000 : 200 },
            }}
          />
        ),
      )}
      <Typography variant="body2" color="textSecondary" component="div">
        {t(['Placeholders:', '占位符：'])}{' '}
        {mail.placeholders.map(({ name, about, needed }) => (
          <Box key={name} component="span" sx={{ mr: 1.5, display: 'inline-block' }}>
            <code>{`{${name}}`}</code> {about}
            {needed && t([' (needed)', '（必填）'])}
          </Box>
        ))}
      </Typography>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <Button variant="contained" disabled={isSending} onClick={() => void save()}>
          {t(['Save', '保存'])}
        </Button>
        <Button disabled={isSending} onClick={() => void show()}>
          {t(['Preview', '预览'])}
        </Button>
        <Button disabled={isSending} onClick={() => void sendTest()}>
          {t(['Send a test to me', '给我发送测试邮件'])}
        </Button>
        {mail.is_changed && (
          <Button color="warning" disabled={isSending} onClick={() => void restore()}>
            {t(['Back to the original', '恢复原文'])}
          </Button>
        )}
      </Stack>
      {preview && (
        <Box
          component="section"
          aria-label={t(['Preview', '预览'])}
          sx={{ bgcolor: '#f4f6f6', color: '#1d2424', p: 2, borderRadius: 2 }}
        >
          <Box sx={{ bgcolor: '#ffffff', borderRadius: 2, p: 2, maxWidth: 520, mx: 'auto' }}>
            <Typography variant="h6" component="h3" sx={{ color: '#1d2424' }}>
              {preview.subject}
            </Typography>
            <Typography sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', color: '#1d2424' }}>
              {preview.text}
            </Typography>
          </Box>
        </Box>
      )}
    </Stack>
  )
}
