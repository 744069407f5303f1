import type sharp from 'sharp'

/** Decoded, a picture takes four bytes a pixel: this many are 200 MB. */
export const maxPixels = 50_000_000

let loading: Promise<typeof sharp> | undefined

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
