import { Alert, Box, Button, CircularProgress, FormLabel, Stack } from '@mui/material'
import { useId, useState } from 'react'
import { useInput } from 'react-admin'
import { messageOf } from '../api/message.ts'
import { fileAddressOf } from '../api/pictures.ts'
import { storePicture, uploadFile } from '../api/upload.ts'
import { FileButton } from '../shell/file-button.tsx'
import { Picture } from '../shell/picture.tsx'
import { Sound } from '../shell/sound.tsx'
import { useText } from '../shell/text.ts'

const ACCEPTED = {
  picture: 'image/png,image/jpeg,image/gif,image/webp',
  node: 'image/png,image/jpeg,image/gif,image/webp',
  sound: 'audio/*',
  upload: '',
}

export function UploadInput({
  source,
  label,
  as,
}: {
  source: string
  label: string
  as: keyof typeof ACCEPTED
}) {
  const t = useText()
  const id = useId()
  const { field } = useInput({ source })
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState('')
  const [preview, setPreview] = useState<string>()
  const value: unknown = field.value

  const send = async (file: File | undefined) => {
    if (!file) return
    setSending(true)
    setFault('')
    try {
      field.onChange(await (as === 'node' ? storePicture(file) : uploadFile(file)))
      setPreview(as === 'sound' ? undefined : URL.createObjectURL(file))
    } catch (error) {
      setFault(messageOf(error))
    } finally {
      setSending(false)
    }
  }
  const clear = () => {
    setPreview(undefined)
    field.onChange(null)
  }
  const has = value !== null && value !== undefined && value !== ''
  const address = preview ?? (as === 'node' ? fileAddressOf(value) : undefined)
  return (
    <Box sx={{ width: '100%', my: 1 }}>
      <FormLabel component="span" id={`${id}-label`} sx={{ fontSize: 13 }}>
        {label}
      </FormLabel>
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mt: 0.5, flexWrap: 'wrap' }}>
        {has && as === 'sound' && <Sound id={Number(value)} />}
        {has && as !== 'sound' && (
          <Picture
            {...(address ? { url: address } : { id: Number(value) })}
            alt={label}
            height={84}
            width={84}
          />
        )}
        <FileButton
          disabled={isSending}
          aria-labelledby={`${id}-label ${id}`}
          id={id}
          accept={ACCEPTED[as]}
          choose={(file) => void send(file)}
        >
          {isSending ? (
            <CircularProgress size={18} aria-label={t(['Uploading', '上传中'])} />
          ) : has ? (
            t(['Replace', '更换'])
          ) : (
            t(['Choose a file', '选择文件'])
          )}
        </FileButton>
        {has && <Button onClick={clear}>{t(['Remove', '移除'])}</Button>}
      </Stack>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
    </Box>
  )
}
