import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useWords, words } from '../../../app/words.ts'

const WORDS = words({
  hint: [
    'Drag the picture or use the arrow keys to choose the visible part. To zoom, pinch or use the keys + and −.',
    '拖动图片或使用方向键调整显示区域，双指缩放或使用 + 和 − 键缩放。',
  ],
  zoom: ['Zoom', '缩放'],
  use: ['Use this picture', '使用此图片'],
  cancel: ['Cancel', '取消'],
  bad: [
    'This file is damaged or not a picture. Choose another one.',
    '该文件已损坏或不是图片，请选择其他文件。',
  ],
})

const QUALITY = 0.9
const STEP = 16
const ZOOM_MOST = 4
const ZOOM_STEP = 0.25

type Point = { x: number; y: number }

const distance = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)

export function Crop({
  file,
  width,
  height,
  isRound = false,
  onDone,
  onCancel,
}: {
  file: File
  width: number
  height: number
  /** True if readers see the picture as a circle. */
  isRound?: boolean
  onDone(picture: Blob): void
  onCancel(): void
}) {
  const t = useWords(WORDS)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [picture, setPicture] = useState<ImageBitmap | null>(null)
  const [isBad, setIsBad] = useState(false)
  const [zoom, setZoom] = useState(1)
  const [middle, setMiddle] = useState<Point>({ x: 0.5, y: 0.5 })
  const pointers = useRef(new Map<number, Point>())
  useEffect(() => {
    setIsBad(false)
    createImageBitmap(file).then(setPicture, () => setIsBad(true))
  }, [file])
  const scale = picture ? Math.max(width / picture.width, height / picture.height) * zoom : 1
  const shown = { width: (picture?.width ?? 0) * scale, height: (picture?.height ?? 0) * scale }
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !picture) return
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
    const x = (width - shown.width) * middle.x
    const y = (height - shown.height) * middle.y
    context.drawImage(picture, x, y, shown.width, shown.height)
  })
  const move = (dx: number, dy: number) => {
    const by = (value: number, moved: number, free: number) =>
      free < 1 ? 0.5 : Math.min(1, Math.max(0, value - moved / free))
    setMiddle(({ x, y }) => ({
      x: by(x, dx, shown.width - width),
      y: by(y, dy, shown.height - height),
    }))
  }
  const zoomBy = (factor: number) => setZoom((old) => Math.min(ZOOM_MOST, Math.max(1, old * factor)))
  /** Moves the picture with one finger. Zooms it with two. */
  const drag = (event: JSX.TargetedPointerEvent<HTMLCanvasElement>) => {
    const before = pointers.current.get(event.pointerId)
    if (!before) return
    const now = { x: event.clientX, y: event.clientY }
    const [other] = [...pointers.current].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]))
    pointers.current.set(event.pointerId, now)
    const ratio = width / event.currentTarget.clientWidth
    if (!other) move((now.x - before.x) * ratio, (now.y - before.y) * ratio)
    else zoomBy(distance(now, other) / Math.max(1, distance(before, other)))
  }
  const release = ({ pointerId }: PointerEvent) => pointers.current.delete(pointerId)
  if (isBad)
    return (
      <p class="failure" role="alert">
        {t.bad}
      </p>
    )
  return (
    <div class="crop">
      <div class={isRound ? 'crop-frame is-round' : 'crop-frame'}>
        <canvas
          ref={canvas}
          width={width}
          height={height}
          tabIndex={0}
          role="img"
          aria-label={t.hint}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
          }}
          onPointerMove={drag}
          onPointerUp={release}
          onPointerCancel={release}
          onKeyDown={(event) => {
            const by = {
              ArrowLeft: [-STEP, 0],
              ArrowRight: [STEP, 0],
              ArrowUp: [0, -STEP],
              ArrowDown: [0, STEP],
            }[event.key]
            const factor = { '+': 1 + ZOOM_STEP, '=': 1 + ZOOM_STEP, '-': 1 / (1 + ZOOM_STEP) }[event.key]
            if (!by && !factor) return
            event.preventDefault()
            if (by) move(by[0] ?? 0, by[1] ?? 0)
            if (factor) zoomBy(factor)
          }}
        />
      </div>
      <p class="quiet">{t.hint}</p>
      <label>
        {t.zoom}
        <input
          type="range"
          min={1}
          max={ZOOM_MOST}
          step={0.05}
          value={zoom}
          onInput={({ currentTarget }) => setZoom(Number(currentTarget.value))}
        />
      </label>
      <p class="pair">
        <button
          type="button"
          class="button"
          disabled={!picture}
          onClick={() => canvas.current?.toBlob((blob) => blob && onDone(blob), 'image/jpeg', QUALITY)}
        >
          {t.use}
        </button>
        <button type="button" class="button is-quiet" onClick={onCancel}>
          {t.cancel}
        </button>
      </p>
    </div>
  )
}
