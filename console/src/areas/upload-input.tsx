import { Alert, Box, Button, CircularProgress, FormLabel, Stack } from '@mui/material'
import { useId, useState } from 'react'
import { useInput } from 'react-admin'
import { messageOf } from '../api/message.ts'
import { fileAddressOf } from '../api/pictures.ts'
import { storePicture, uploadFile } from '../api/upload.ts'
import { Picture } from '../shell/picture.tsx'
import { Sound } from '../shell/sound.tsx'
import { useText } from '../shell/text.ts'

const ACCEPTED = {
  picture: 'image/png,image/jpeg,image/gif,image/webp',
  node: 'image/png,image/jpeg,image/gif,image/webp',
  sound: 'audio/*',
  upload: '',
}

/** Takes a picture or a recording, sends it at once, and keeps its id. */
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
      <FormLabel htmlFor={id} sx={{ fontSize: 13 }}>
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
        <Button component="label" variant="outlined" disabled={isSending} htmlFor={id}>
          {isSending ? (
            <CircularProgress size={18} />
          ) : has ? (
            t(['Replace', '更换'])
          ) : (
            t(['Choose a file', '选择文件'])
          )}
        </Button>
        <Box
          component="input"
          id={id}
          type="file"
          accept={ACCEPTED[as]}
          onChange={(event) => void send((event.target as HTMLInputElement).files?.[0])}
          sx={{ position: 'absolute', opacity: 0, width: '1px', height: '1px', pointerEvents: 'none' }}
        />
        {has && <Button onClick={clear}>{t(['Remove', '移除'])}</Button>}
      </Stack>
      <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
    </Box>
  )
}
