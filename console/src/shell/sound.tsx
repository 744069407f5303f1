import { useQuery } from '@tanstack/react-query'
import { fileAddress } from '../api/upload.ts'
import { useText } from './text.ts'

export function Sound({ id }: { id: number }) {
  const t = useText()
  const { data: address } = useQuery({
    queryKey: ['file', id],
    queryFn: () => fileAddress(id),
    enabled: id > 0,
    retry: false,
  })
  if (!address) return <span>—</span>
  return (
    // biome-ignore lint/a11y/useMediaCaption: songs have no captions, and the page shows their lyrics
    <audio
      controls
      preload="none"
      src={address}
      aria-label={t(['Listen', '试听'])}
      onClick={(event) => event.stopPropagation()}
      style={{ height: 36, width: 240, maxWidth: '100%', display: 'block' }}
    />
  )
}
