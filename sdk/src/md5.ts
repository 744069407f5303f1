/** MD5, which the Web Crypto API lacks. The server recognizes repeated uploads by their MD5. */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Uint32Array.from({ length: 64 }, (_, n) => Math.floor(Math.abs(Math.sin(n + 1)) * 2 ** 32))

function mix(state: Uint32Array, block: DataView, at: number): void {
  let [a, b, c, d] = state as unknown as [number, number, number, number]
  for (let n = 0; n < 64; n += 1) {
    const round = n >> 4
    const [f, word] =
      round === 0
        ? [(b & c) | (~b & d), n]
        : round === 1
          ? [(d & b) | (~d & c), (5 * n + 1) % 16]
          : round === 2
            ? [b ^ c ^ d, (3 * n + 5) % 16]
            : [c ^ (b | ~d), (7 * n) % 16]
    const sum = (a + f + (SINES[n] as number) + block.getUint32(at + word * 4, true)) | 0
    const shift = SHIFTS[round * 4 + (n % 4)] as number
    a = d
    d = c
    c = b
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
  }
  state.set([
    (state[0] as number) + a,
    (state[1] as number) + b,
    (state[2] as number) + c,
    (state[3] as number) + d,
  ])
}

/** Returns the MD5 of a file in hexadecimal. Reads the file in parts, because a video may not fit into memory. */
export async function md5(blob: Blob, signal?: AbortSignal | null): Promise<string> {
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  const PART = 2 ** 20
  for (let at = 0; at <= blob.size; at += PART) {
    signal?.throwIfAborted()
    const bytes = new Uint8Array(await blob.slice(at, at + PART).arrayBuffer())
    const isLast = at + PART > blob.size
    const whole = isLast ? padded(bytes, blob.size) : bytes
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength)
    for (let n = 0; n < whole.length; n += 64) mix(state, view, n)
  }
  return [...new Uint8Array(state.buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function padded(rest: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(Math.ceil((rest.length + 9) / 64) * 64)
  whole.set(rest)
  whole[rest.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, (size * 8) >>> 0, true)
  view.setUint32(whole.length - 4, Math.floor(size / 2 ** 29), true)
  return whole
}
