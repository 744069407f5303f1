import ipaddr from 'ipaddr.js'

type Parsed = { bytes: number[]; bits: number }

/** The bytes of an address, one of IPv4 that came as IPv6 as what it is. */
function bytesOf(address: string): number[] | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address).toByteArray() : undefined
}

/** The first `bits` of an address, the others zero. */
const masked = (bytes: number[], bits: number): number[] =>
  bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff)

function parse(text: string): Parsed | undefined {
  const [address = '', length, ...more] = text.trim().split('/')
  const bytes = bytesOf(address)
  if (!bytes || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  // A length of IPv6 does not fit an address that turned out to be one of IPv4.
  const mapped = address.includes(':') && bytes.length === 4 ? 96 : 0
  const bits = length === undefined ? bytes.length * 8 : Number(length) - mapped
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes: masked(bytes, bits), bits } : undefined
}

/**
 * A network as `192.0.2.0/24`, from an address or a network in any spelling; undefined for what is none, or so wide that
 * it is no network of somebody's (beyond /8, or /16 of IPv6).
 */
export function networkOf(text: string): string | undefined {
  const parsed = parse(text)
  if (!parsed || parsed.bits < (parsed.bytes.length === 4 ? 8 : 16)) return undefined
  return `${ipaddr.fromByteArray(parsed.bytes).toString()}/${parsed.bits}`
}

/** Networks by which an address is looked up: one look for each length that occurs, however many there are. */
export type Networks<T> = { find(address: string): T[] }

/** Makes networks quick to search. */
export function compileNetworks<T>(entries: { network: string; value: T }[]): Networks<T> {
  const byLength = new Map<string, { size: number; bits: number; values: Map<string, T> }>()
  for (const { network, value } of entries) {
    const parsed = parse(network)
    if (!parsed) continue
    const size = parsed.bytes.length
    const key = `${size}/${parsed.bits}`
    const group = byLength.get(key) ?? { size, bits: parsed.bits, values: new Map<string, T>() }
    byLength.set(key, group)
    group.values.set(parsed.bytes.join('.'), value)
  }
  const groups = [...byLength.values()]
  return {
    find(address) {
      const bytes = groups.length > 0 ? bytesOf(address) : undefined
      if (!bytes) return []
      return groups.flatMap(({ size, bits, values }) => {
        const value = size === bytes.length ? values.get(masked(bytes, bits).join('.')) : undefined
        return value === undefined ? [] : [value]
      })
    },
  }
}
