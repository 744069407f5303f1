import type { Chance } from './chance.ts'

const RATE = 16_000
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16]

export function playTune(chance: Chance, seconds: number): Buffer {
  const samples = new Float32Array(RATE * seconds)
  const beat = 60 / chance.between(84, 128)
  const root = 110 * 2 ** (chance.between(0, 11) / 12)
  const pitch = (step: number) => root * 2 ** (step / 12)
  const chords = chance.one([
    [0, 9, 5, 7],
    [0, 7, 9, 5],
    [9, 5, 0, 7],
    [0, 5, 9, 7],
  ])
  const phrase = Array.from({ length: 8 }, () => chance.one(SCALE))
  for (let n = 0; n * beat < seconds - 1; n += 1) {
    const at = n * beat
    const chord = chords[Math.floor(n / 4) % 4]!
    if (n % 4 === 0) pluck(samples, chance, at, pitch(chord) / 2, 2.4, 0.5)
    if (n % 2 === 1) for (const tone of [0, 4, 7]) pluck(samples, chance, at, pitch(chord + tone), 0.9, 0.14)
    const tone = n % 16 < 12 ? phrase[n % 8]! : chance.one(SCALE)
    if (n % 8 !== 7) pluck(samples, chance, at, pitch(tone) * 2, 1.2, 0.42)
    if (chance.happens(0.35)) pluck(samples, chance, at + beat / 2, pitch(chance.one(SCALE)) * 2, 0.8, 0.3)
  }
  return wav(samples)
}

function pluck(
  samples: Float32Array,
  chance: Chance,
  at: number,
  hertz: number,
  seconds: number,
  volume: number,
) {
  const period = Math.max(2, Math.round(RATE / hertz))
  const string = Float32Array.from({ length: period }, () => (chance.number() * 2 - 1) * volume)
  const start = Math.floor(at * RATE)
  const end = Math.min(samples.length, start + Math.floor(seconds * RATE))
  for (let n = start; n < end; n += 1) {
    const place = (n - start) % period
    const value = string[place]!
    samples[n]! += value * Math.min(1, (end - n) / 800)
    string[place] = (value + string[(place + 1) % period]!) * 0.498
  }
}

function wav(samples: Float32Array): Buffer {
  const loudest = samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0.01)
  const file = Buffer.alloc(44 + samples.length * 2)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + samples.length * 2, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(RATE, 24)
  file.writeUInt32LE(RATE * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples.length * 2, 40)
  const fade = RATE * 1.5
  samples.forEach((value, n) => {
    const gain = Math.min(1, (samples.length - n) / fade)
    file.writeInt16LE(Math.round((value / loudest) * 0.85 * gain * 32_767), 44 + n * 2)
  })
  return file
}
