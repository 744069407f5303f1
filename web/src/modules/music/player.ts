import { useEffect, useState } from 'preact/hooks'

export type Track = { id: number; title: string; singer: string; file: number }

/** State of the player, outside any page so that music continues during navigation. */
const state = {
  queue: [] as Track[],
  at: 0,
  isPlaying: false,
  place: 0,
  length: 0,
}
type State = typeof state

let audio: HTMLAudioElement | undefined
const watchers = new Set<() => void>()
const change = (by: Partial<State>) => {
  Object.assign(state, by)
  for (const watch of watchers) watch()
}

function element(): HTMLAudioElement {
  if (audio) return audio
  const made = new Audio()
  made.onplay = () => change({ isPlaying: true })
  made.onpause = () => change({ isPlaying: false })
  made.ontimeupdate = () => change({ place: made.currentTime, length: made.duration || 0 })
  made.onended = () => step(1)
  audio = made
  return made
}

function load(): void {
  const track = state.queue[state.at]
  if (!track) return
  const { origin } = location
  const playing = element()
  playing.src = `${origin}/api/v2/files/${track.file}`
  void playing.play().catch(() => change({ isPlaying: false }))
  const { mediaSession } = navigator
  if (!mediaSession) return
  mediaSession.metadata = new MediaMetadata({ title: track.title, artist: track.singer })
  mediaSession.setActionHandler('play', toggle)
  mediaSession.setActionHandler('pause', toggle)
  mediaSession.setActionHandler('nexttrack', () => step(1))
  mediaSession.setActionHandler('previoustrack', () => step(-1))
}

export function play(queue: Track[], at: number): void {
  change({ queue, at, place: 0, length: 0 })
  load()
}
export function step(by: number): void {
  if (!state.queue[state.at + by]) change({ isPlaying: false })
  else {
    change({ at: state.at + by, place: 0, length: 0 })
    load()
  }
}
export function toggle(): void {
  const playing = element()
  if (playing.paused) void playing.play().catch(() => change({ isPlaying: false }))
  else playing.pause()
}
export function seek(place: number): void {
  element().currentTime = place
}
export function stop(): void {
  audio?.pause()
  change({ queue: [], at: 0, isPlaying: false })
}

export function usePlayer(): State & { track: Track | undefined } {
  const [, setTick] = useState(0)
  useEffect(() => {
    const watch = () => setTick((tick) => tick + 1)
    watchers.add(watch)
    return () => {
      watchers.delete(watch)
    }
  }, [])
  return { ...state, track: state.queue[state.at] }
}
