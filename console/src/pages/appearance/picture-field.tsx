import { Alert, Box, Button, CircularProgress, Stack, Typography } from '@mui/material'
import { useId, useState } from 'react'
import { messageOf } from '../../api/message.ts'
import { storePicture } from '../../api/upload.ts'
import { FileButton } from '../../shell/file-button.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { settingText } from '../settings/texts.ts'

const ACCEPTED = 'image/png,image/jpeg,image/gif,image/webp'

export function PictureField({
  name,
  note,
  address,
  choose,
}: {
  name: string
  note: Text
  address: string | undefined
  choose(node: string | null, address: string | null): void
}) {
  const t = useText()
  const id = useId()
  const { label } = settingText(name)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState('')
  const send = async (file: File | undefined) => {
    if (!file) return
    setSending(true)
    setFault('')
    try {
      choose(await storePicture(file), URL.createObjectURL(file))
    } catch (error) {
      setFault(messageOf(error))
    } finally {
      setSending(false)
    }
  }
  return (
    <Box data-picture={name} sx={{ mb: 2 }}>
      <Typography id={`${id}-label`} sx={{ fontWeight: 600 }}>
        {t(label)}
      </Typography>
      <Typography variant="body2" color="textSecondary">
        {t(note)}
      </Typography>
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mt: 1 }}>
        {address && (
          <Box
            component="img"
            src={address}
            alt={t(label)}
            sx={{ height: 64, maxWidth: 160, objectFit: 'contain', bgcolor: 'action.hover', borderRadius: 1 }}
          />
        )}
        <FileButton
          id={id}
          disabled={isSending}
          aria-labelledby={`${id}-label ${id}`}
          accept={ACCEPTED}
          choose={(file) => void send(file)}
        >
          {isSending ? (
            <CircularProgress size={18} aria-label={t(['Uploading', '上传中'])} />
          ) : address ? (
            t(['Replace', '更换'])
          ) : (
            t(['Choose a file', '选择文件'])
          )}
        </FileButton>
        {address && <Button onClick={() => choose(null, null)}>{t(['Remove', '移除'])}</Button>}
      </Stack>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
    </Box>
  )
}
