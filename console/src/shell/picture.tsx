import { Box, Dialog } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fileAddress } from '../api/upload.ts'
import { useText } from './text.ts'

export function Picture({
  id,
  url,
  alt,
  height,
  width,
  opens = false,
}: {
  id?: number
  url?: string
  alt: string
  height: number
  width?: number
  opens?: boolean
}) {
  const t = useText()
  const [open, setOpen] = useState(false)
  const [failed, setFailed] = useState(false)
  const { data: asked } = useQuery({
    queryKey: ['file', id, height],
    queryFn: () => fileAddress(id as number, height > 100 ? 640 : 160),
    enabled: id !== undefined && id > 0,
    retry: false,
  })
  const address = url ?? asked
  const frame = {
    height,
    width: width ?? '100%',
    borderRadius: 1.5,
    objectFit: 'cover',
    bgcolor: 'action.hover',
    display: 'block',
  } as const
  if (!address || failed) return <Box sx={frame} role="img" aria-label={alt || t(['Picture', '图片'])} />
  const image = (
    <Box component="img" src={address} alt={alt} loading="lazy" onError={() => setFailed(true)} sx={frame} />
  )
  if (!opens) return image
  return (
    <>
      <Box
        component="button"
        type="button"
        onClick={() => setOpen(true)}
        sx={{ border: 0, p: 0, bgcolor: 'transparent', cursor: 'zoom-in', width: '100%' }}
      >
        {image}
      </Box>
      <Dialog open={open} onClose={() => setOpen(false)} maxWidth="lg" aria-label={alt}>
        <Box
          component="img"
          src={address.replace(/([?&])w=\d+/, '$1')}
          alt={alt}
          onClick={() => setOpen(false)}
          sx={{ maxWidth: '100%', maxHeight: '85vh', display: 'block' }}
        />
      </Dialog>
    </>
  )
}
