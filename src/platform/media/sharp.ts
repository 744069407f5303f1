import type sharp from 'sharp'

/** Maximum pixels. A decoded picture takes four bytes a pixel, here 200 MB. */
export const maxPixels = 50_000_000

let loading: Promise<typeof sharp> | undefined

/** Loads the image library on first use, because it takes 0.1 s and most commands never need it. */
export function loadSharp(): Promise<typeof sharp> {
  loading ??= import('sharp').then(({ default: library }) => {
    // Requests run in parallel already; threads within one picture would compete for the cores.
    library.concurrency(1)
    library.cache({ files: 0 })
    return library
  })
  return loading
}
