import ipaddr from 'ipaddr.js'

/**
 * What limits count a client's address by. One connection commonly has a whole /64 of IPv6, so the addresses in it count
 * as one; an IPv4 address that came as IPv6 counts as what it is.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
