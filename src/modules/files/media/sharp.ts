import type sharp from 'sharp'

/** Limits the memory of a decoded picture to 200 MB, at four bytes per pixel. */
export const maxPixels = 50_000_000

let loading: Promise<typeof sharp> | undefined

/** Loads Sharp on first use, because loading takes 0.1 s and most commands never need Sharp. */
export function loadSharp(): Promise<typeof sharp> {
  loading ??= import('sharp').then(({ default: library }) => {
    // Uses one thread per picture, because parallel requests already use all cores.
    library.concurrency(1)
    library.cache({ files: 0 })
    return library
  })
  return loading
}
