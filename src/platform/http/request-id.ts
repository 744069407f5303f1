import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The names that `TRUST_PROXY` knows. */
const NAMED: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** What an id of somebody else may look like: it goes into logs and headers as it is. */
const FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/** Which peers are proxies that are believed. */
function proxiesOf(trusted: string): (address: string) => boolean {
  const list = new BlockList()
  const parts = trusted.split(',').map((part) => part.trim())
  for (const part of parts.flatMap((name) => NAMED[name] ?? [name])) {
    const [address = '', length] = part.split('/')
    const family = address.includes(':') ? 'ipv6' : 'ipv4'
    const bits = length?.includes('.')
      ? ipaddr.IPv4.parse(length).prefixLengthFromSubnetMask()
      : Number(length)
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, bits ?? 32, family)
  }
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const peer = ipaddr.process(address)
    return list.check(peer.toString(), peer.kind())
  }
}

/**
 * The id of a request: what a trusted proxy says in `X-Request-Id`, where it has a safe form, so that its log and ours
 * speak of one; else one that no other process makes: a random beginning and a count, which costs less than randomness
 * for each (conventions-38).
 */
export function requestIds(trustProxy: string | undefined): (request: IncomingMessage) => string {
  const isProxy = trustProxy === undefined ? undefined : proxiesOf(trustProxy)
  const beginning = randomBytes(9).toString('base64url')
  let count = 0
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    if (isProxy && typeof given === 'string' && FORM.test(given) && isProxy(socket.remoteAddress ?? ''))
      return given
    count += 1
    return `${beginning}-${count.toString(36)}`
  }
}
