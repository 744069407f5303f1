import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** From what a request comes: what the client calls itself, and the network it is in. */
export type Device = { userAgent: string; network: string }

const USER_AGENT_MAX = 200

/** The network of an address: three of four numbers, or the first 48 bits of IPv6. Enough to know a place again. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return ''
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString().replace(/\d+$/, '0/24')
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 3)
  return `${parts.map((part) => part.toString(16)).join(':')}::/48`
}

/** The device of a request; what a client calls itself is cut, and held against no list. */
export const deviceOf = ({ headers, ip }: FastifyRequest): Device => ({
  userAgent: (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, ' ').slice(0, USER_AGENT_MAX),
  network: networkOf(ip),
})
