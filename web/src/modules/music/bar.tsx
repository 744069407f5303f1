import { Pause, Play, SkipBack, SkipForward, X } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useWords, words } from '../../app/words.ts'
import { seek, step, stop, toggle, usePlayer } from './player.ts'

const WORDS = words({
  player: ['Player', '播放器'],
  play: ['Play', '播放'],
  pause: ['Pause', '暂停'],
  next: ['Next song', '下一首'],
  before: ['Previous song', '上一首'],
  seek: ['Position in the song', '播放进度'],
  stop: ['Stop', '停止'],
})

export function PlayerBar() {
  const t = useWords(WORDS)
  const { track, isPlaying, place, length } = usePlayer()
  if (!track) return null
  return (
    <section class="player" aria-label={t.player}>
      <div>
        <Link class="name" dir="auto" href={`/musics/${track.id}`}>
          {track.title}
        </Link>{' '}
        <span class="quiet">{track.singer}</span>
        <input
          type="range"
          aria-label={t.seek}
          min={0}
          max={Math.max(1, Math.round(length))}
          value={Math.round(place)}
          onInput={({ currentTarget }) => seek(Number(currentTarget.value))}
        />
      </div>
      <button type="button" class="icon-button" aria-label={t.before} onClick={() => step(-1)}>
        <SkipBack size={20} aria-hidden />
      </button>
      <button type="button" class="icon-button" aria-label={isPlaying ? t.pause : t.play} onClick={toggle}>
        {isPlaying ? <Pause size={22} aria-hidden /> : <Play size={22} aria-hidden />}
      </button>
      <button type="button" class="icon-button" aria-label={t.next} onClick={() => step(1)}>
        <SkipForward size={20} aria-hidden />
      </button>
      <button type="button" class="icon-button" aria-label={t.stop} onClick={stop}>
        <X size={20} aria-hidden />
      </button>
    </section>
  )
}
