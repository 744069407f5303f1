import { useEffect, useRef, useState } from 'preact/hooks'
import { useWords, words } from '../../../app/words.ts'

const WORDS = words({
  hint: [
    'Drag the picture or use the arrow keys to choose the visible part.',
    '拖动图片或使用方向键调整显示区域。',
  ],
  zoom: ['Zoom', '缩放'],
  use: ['Use this picture', '使用此图片'],
  cancel: ['Cancel', '取消'],
  bad: ['This file is not a picture.', '该文件不是图片。'],
})

const QUALITY = 0.9
const STEP = 16

export function Crop({
  file,
  width,
  height,
  onDone,
  onCancel,
}: {
  file: File
  width: number
  height: number
  onDone(picture: Blob): void
  onCancel(): void
}) {
  const t = useWords(WORDS)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [picture, setPicture] = useState<ImageBitmap | null>(null)
  const [isBad, setIsBad] = useState(false)
  const [zoom, setZoom] = useState(1)
  const [middle, setMiddle] = useState({ x: 0.5, y: 0.5 })
  useEffect(() => {
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
  if (isBad)
    return (
      <p class="failure" role="alert">
        {t.bad}
      </p>
    )
  return (
    <div class="crop">
      <canvas
        ref={canvas}
        width={width}
        height={height}
        tabIndex={0}
        role="img"
        aria-label={t.hint}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.buttons === 0) return
          const ratio = width / event.currentTarget.clientWidth
          move(event.movementX * ratio, event.movementY * ratio)
        }}
        onKeyDown={(event) => {
          const by = {
            ArrowLeft: [-STEP, 0],
            ArrowRight: [STEP, 0],
            ArrowUp: [0, -STEP],
            ArrowDown: [0, STEP],
          }
          const [dx, dy] = by[event.key as 'ArrowLeft'] ?? []
          if (dx === undefined || dy === undefined) return
          event.preventDefault()
          move(dx, dy)
        }}
      />
      <p class="quiet">{t.hint}</p>
      <label>
        {t.zoom}
        <input
          type="range"
          min={1}
          max={4}
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
