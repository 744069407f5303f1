import { useEffect, useRef, useState } from 'preact/hooks'

/** Sample rate in hertz. A minute of speech stays below 2 MB. */
const RATE = 16_000
const SECONDS_MOST = 60

/** Encodes samples as WAV, because not every browser plays the formats that other browsers record. */
function wavOf(samples: Float32Array): Blob {
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2))
  const text = (at: number, name: string) =>
    [...name].forEach((sign, n) => void view.setUint8(at + n, sign.charCodeAt(0)))
  const long = (at: number, value: number) => view.setUint32(at, value, true)
  const short = (at: number, value: number) => view.setInt16(at, value, true)
  text(0, 'RIFF')
  long(4, 36 + samples.length * 2)
  text(8, 'WAVEfmt ')
  long(16, 16)
  short(20, 1)
  short(22, 1)
  long(24, RATE)
  long(28, RATE * 2)
  short(32, 2)
  short(34, 16)
  text(36, 'data')
  long(40, samples.length * 2)
  samples.forEach((sample, n) => void short(44 + n * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff))
  return new Blob([view], { type: 'audio/wav' })
}

async function convert(recorded: Blob): Promise<File> {
  const bytes = await recorded.arrayBuffer()
  // `decodeAudioData` resamples to the context's sample rate.
  const decoded = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(bytes)
  return new File([wavOf(decoded.getChannelData(0))], 'sound.wav', { type: 'audio/wav' })
}

export function useRecorder(onSound: (sound: File) => void, onError: (error: unknown) => void) {
  const [seconds, setSeconds] = useState<number | null>(null)
  const recorder = useRef<MediaRecorder | null>(null)
  const isWanted = useRef(false)
  const end = (wanted: boolean) => {
    isWanted.current = wanted
    if (recorder.current?.state === 'recording') recorder.current.stop()
  }
  const isRecording = seconds !== null
  useEffect(() => {
    if (!isRecording) return
    const timer = setInterval(() => setSeconds((all) => (all ?? 0) + 1), 1_000)
    return () => clearInterval(timer)
  }, [isRecording])
  useEffect(() => {
    if ((seconds ?? 0) >= SECONDS_MOST) end(true)
  }, [seconds])
  useEffect(() => () => end(false), [])
  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const made = new MediaRecorder(stream)
      const parts: Blob[] = []
      made.ondataavailable = ({ data }) => parts.push(data)
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop()
        setSeconds(null)
        if (isWanted.current) convert(new Blob(parts, { type: made.mimeType })).then(onSound, onError)
      }
      recorder.current = made
      made.start()
      setSeconds(0)
    } catch (error) {
      onError(error)
    }
  }
  return { seconds, start, stop: () => end(true), cancel: () => end(false) }
}
