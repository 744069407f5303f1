import { ChevronLeft, ChevronRight, X } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { scrollBehavior } from '../app/motion.ts'
import { useWords, words } from '../app/words.ts'

const WORDS = words({
  viewer: ['Pictures', '图片'],
  close: ['Close', '关闭'],
  before: ['Previous picture', '上一张'],
  next: ['Next picture', '下一张'],
  zoom: ['Zoom', '缩放'],
})

export type Shown = { url: string; alt: string; width: number; height: number }

export function Viewer({ pictures, first, onClose }: { pictures: Shown[]; first: number; onClose(): void }) {
  const t = useWords(WORDS)
  const dialog = useRef<HTMLDialogElement>(null)
  const track = useRef<HTMLUListElement>(null)
  const [at, setAt] = useState(first)
  const [isZoomed, setIsZoomed] = useState(false)
  const go = (to: number, behavior = scrollBehavior()) => {
    const { current } = track
    current?.scrollTo({ left: to * current.clientWidth, behavior })
  }
  useEffect(() => {
    dialog.current?.showModal()
    go(first, 'instant')
  }, [])
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-label={t.viewer}
      onClose={onClose}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') go(at - 1)
        if (key === 'ArrowRight') go(at + 1)
      }}
    >
      <ul
        ref={track}
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) => {
          const seen = Math.round(scrollLeft / clientWidth)
          if (seen === at) return
          setAt(seen)
          setIsZoomed(false)
        }}
      >
        {pictures.map(({ url, alt, width, height }, n) => (
          <li key={url} class={isZoomed && n === at ? 'is-zoomed' : ''}>
            <button type="button" aria-label={`${t.zoom}: ${alt}`} onClick={() => setIsZoomed(!isZoomed)}>
              <img src={url} alt={alt} width={width} height={height} loading={n === at ? 'eager' : 'lazy'} />
            </button>
          </li>
        ))}
      </ul>
      <p class="viewer-bar">
        {pictures.length > 1 && (
          <>
            <button type="button" aria-label={t.before} disabled={at === 0} onClick={() => go(at - 1)}>
              <ChevronLeft size={24} aria-hidden />
            </button>
            <span>
              {at + 1} / {pictures.length}
            </span>
            <button
              type="button"
              aria-label={t.next}
              disabled={at === pictures.length - 1}
              onClick={() => go(at + 1)}
            >
              <ChevronRight size={24} aria-hidden />
            </button>
          </>
        )}
        <button type="button" aria-label={t.close} onClick={() => dialog.current?.close()}>
          <X size={24} aria-hidden />
        </button>
      </p>
    </dialog>
  )
}
