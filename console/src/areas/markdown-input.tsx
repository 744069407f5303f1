import { Alert, Box, Button, ButtonGroup, CircularProgress, Stack, TextField } from '@mui/material'
import { useRef, useState } from 'react'
import { type required, useInput } from 'react-admin'
import { messageOf } from '../api/message.ts'
import { uploadFile } from '../api/upload.ts'
import { FileButton } from '../shell/file-button.tsx'
import { useText } from '../shell/text.ts'
import { TextPreview } from './text-preview.tsx'

export function MarkdownInput({
  source,
  label,
  validate,
}: {
  source: string
  label: string
  validate?: ReturnType<typeof required>
}) {
  const t = useText()
  const { field, fieldState } = useInput({
    source,
    defaultValue: '',
    ...(validate ? { validate } : {}),
  })
  const area = useRef<HTMLTextAreaElement>(null)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState('')
  const value = String(field.value ?? '')

  const wrap = (before: string, after = '') => {
    const { selectionStart: start = value.length, selectionEnd: end = value.length } = area.current ?? {}
    field.onChange(value.slice(0, start) + before + value.slice(start, end) + after + value.slice(end))
    area.current?.focus()
  }
  const addPicture = async (file: File | undefined) => {
    if (!file) return
    setSending(true)
    setFault('')
    try {
      wrap(`\n@![${file.name.replace(/[[\]]/g, '')}](${await uploadFile(file)})\n`)
    } catch (error) {
      setFault(messageOf(error))
    } finally {
      setSending(false)
    }
  }
  const tools = [
    { label: t(['Bold', '加粗']), act: () => wrap('**', '**') },
    { label: t(['Heading', '标题']), act: () => wrap('\n## ') },
    { label: t(['List', '列表']), act: () => wrap('\n- ') },
    { label: t(['Quote', '引用']), act: () => wrap('\n> ') },
    { label: t(['Link', '链接']), act: () => wrap('[', '](https://)') },
  ]
  return (
    <Box sx={{ width: '100%' }}>
      <Stack direction="row" spacing={1} sx={{ mb: 1, flexWrap: 'wrap', rowGap: 1 }}>
        <ButtonGroup size="small" aria-label={t(['Format', '格式'])}>
          {tools.map(({ label: name, act }) => (
            <Button key={name} onClick={act}>
              {name}
            </Button>
          ))}
        </ButtonGroup>
        <FileButton
          size="small"
          disabled={isSending}
          accept="image/*"
          choose={(file) => void addPicture(file)}
        >
          {isSending ? (
            <CircularProgress size={18} aria-label={t(['Uploading', '上传中'])} />
          ) : (
            t(['Insert a picture', '插入图片'])
          )}
        </FileButton>
      </Stack>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' } }}>
        <TextField
          {...field}
          inputRef={area}
          value={value}
          label={label}
          multiline
          minRows={14}
          maxRows={28}
          error={fieldState.invalid}
          helperText={fieldState.invalid ? t(['Required', '必填']) : ' '}
        />
        <TextPreview text={value} format="markdown" of={label} />
      </Box>
    </Box>
  )
}
