import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'

/** The encodings that replies are sent in. */
export type Encoding = 'zstd' | 'br' | 'gzip'

/** Of those that a client likes equally well, the cheapest to make comes first. */
const PREFERRED: readonly Encoding[] = ['zstd', 'br', 'gzip']

/** What is shorter is sent as it is. */
export const COMPRESSED_FROM = 1024

/** What is compressed once and sent often is worth more effort. */
const EFFORT = {
  once: { zstd: 1, br: 3, gzip: 1 },
  kept: { zstd: 9, br: 5, gzip: 6 },
} as const

/** Compresses in place: for the sizes of replies this takes less than handing them to another thread. */
export function compress(bytes: Buffer | string, encoding: Encoding, effort: keyof typeof EFFORT): Buffer {
  const level = EFFORT[effort][encoding]
  switch (encoding) {
    case 'zstd':
      return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } })
    case 'br':
      return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
    case 'gzip':
      return gzipSync(bytes, { level })
  }
}

/** The encoding that a client takes best of those there are; undefined: as it is. */
export function encodingFor(accepts: string | undefined): Encoding | undefined {
  if (accepts === undefined || accepts === '' || accepts === 'identity') return undefined
  const wanted = new Map<string, number>()
  for (const part of accepts.toLowerCase().split(',').slice(0, 20)) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    const quality = parameters.find((each) => each.startsWith('q='))
    const value = quality === undefined ? 1 : Number(quality.slice(2))
    wanted.set(name === 'x-gzip' ? 'gzip' : name, Number.isFinite(value) ? value : 0)
  }
  const rest = wanted.get('*') ?? 0
  let best: Encoding | undefined
  let quality = wanted.get('identity') === undefined ? 0 : (wanted.get('identity') as number)
  for (const encoding of PREFERRED) {
    const value = wanted.get(encoding) ?? rest
    if (value > quality || (value === quality && value > 0 && best === undefined)) {
      best = encoding
      quality = value
    }
  }
  return best
}

/** Whether a client has what the tag stands for already. */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const plain = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === plain)
}
