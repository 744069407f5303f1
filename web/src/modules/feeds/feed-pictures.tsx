import type { Schema } from '@kith/client'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { loadScript } from '../../app/failures.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Buy } from '../../ui/buy.tsx'
import type { Viewer } from '../../ui/viewer.tsx'

type Feed = Schema<'Feed'>

const WORDS = words({
  picture: [
    (n: number, name: string) => `Picture ${n} by ${name}`,
    (n: number, name: string) => `${name} 的图片 ${n}`,
  ],
})

const sizeOf = (size: string | null) => size?.split('x').map(Number) ?? []

/** Variants of a picture by their width. `w` limits the longer side. */
const sourcesOf = (url: string, width: number, height: number) =>
  [480, 720, 960]
    .map((w) => `${url}?w=${w} ${Math.round(width * Math.min(1, w / Math.max(width, height)))}w`)
    .join(', ')

export function FeedPictures({
  feed,
  name,
  isAhead,
}: {
  feed: Feed
  name: string
  /** True near the top of a page, where the browser should load pictures at once. */
  isAhead: boolean
}) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  const [open, setOpen] = useState<{
    Show: ComponentType<Parameters<typeof Viewer>[0]>
    first: number
  } | null>(null)
  const pictures = feed.images.map(({ file, size }, n) => {
    const [width = 4, height = 3] = sizeOf(size)
    return { url: `/api/v2/files/${file}`, width, height, alt: t.picture(n + 1, name) }
  })
  const isSingle = pictures.length === 1
  const unpaid = feed.images.find(({ paid }) => paid === false)
  return (
    <>
      <div class={`pictures is-${Math.min(pictures.length, 4)}`}>
        {pictures.map(({ url, width, height, alt }, n) => (
          <a
            key={url}
            href={url}
            target="_blank"
            rel="noopener"
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey) return
              event.preventDefault()
              void loadScript(() => import('../../ui/viewer.tsx')).then(
                ({ Viewer: Show }) => setOpen({ Show, first: n }),
                fail,
              )
            }}
          >
            <img
              src={`${url}?w=${isSingle ? 960 : 480}`}
              srcset={isSingle ? sourcesOf(url, width, height) : undefined}
              sizes={isSingle ? '(max-width: 640px) 96vw, 600px' : undefined}
              width={width}
              height={height}
              alt={alt}
              loading={isAhead ? 'eager' : 'lazy'}
              fetchpriority={isAhead && n === 0 ? 'high' : undefined}
              decoding="async"
            />
          </a>
        ))}
      </div>
      {unpaid?.paid_node && <Buy node={unpaid.paid_node} amount={unpaid.amount ?? 0} kind="picture" />}
      {open && <open.Show pictures={pictures} first={open.first} onClose={() => setOpen(null)} />}
    </>
  )
}

export const FeedVideo = ({ video, name }: { video: Schema<'FeedVideo'>; name: string }) => (
  // biome-ignore lint/a11y/useMediaCaption: people publish videos without captions
  <video
    class="video"
    controls
    preload="none"
    playsInline
    aria-label={name}
    width={video.width ?? 16}
    height={video.height ?? 9}
    poster={`/api/v2/files/${video.cover_id}?w=960`}
    src={`/api/v2/files/${video.video_id}`}
  />
)
