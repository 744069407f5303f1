import { availableParallelism } from 'node:os'
import type sharp from 'sharp'
import { MediaError } from './errors.ts'

/** Decoded, a picture takes four bytes a pixel: this many are 200 MB. */
export const maxPixels = 50_000_000

const atOnce = Math.min(2, availableParallelism())
const maxWaiting = 200

let loading: Promise<typeof sharp> | undefined
let running = 0
const waiting: (() => void)[] = []

/** The image library, loaded at first use: it costs a tenth of a second and most commands never need it. */
export function loadSharp(): Promise<typeof sharp> {
  loading ??= import('sharp').then(({ default: library }) => {
    // Parallelism comes from several requests; threads within one picture only fight over the cores.
    library.concurrency(1)
    library.cache({ files: 0 })
    return library
  })
  return loading
}

/** Runs image work when its turn comes, few at a time, so that pictures neither fill memory nor starve file access. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= maxWaiting) throw new MediaError('busy', 'Too many pictures wait to be processed')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else {
    running += 1
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // The place is handed over, so that a newcomer cannot slip in between.
    if (next) next()
    else running -= 1
  }
}
