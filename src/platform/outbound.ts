import { lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Outbound = {
  headers: Record<string, string>
  body: string | Buffer
  timeoutMs: number
  allowPrivate: boolean
}

export type OutboundReply = { status: number; text: string }

const MAX_ANSWER = 2048

/** Range of IPv4-compatible IPv6 addresses. Such an address could reach a private IPv4 host. */
const COMPATIBLE = ipaddr.parseCIDR('::/96')

/** Checks the IPv4 address in an IPv4-mapped IPv6 address. IPv4-compatible IPv6 addresses are never public. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && !(parsed.kind() === 'ipv6' && parsed.match(COMPATIBLE))
}

export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) ? host : undefined
}

/**
 * Posts to a URL of a user or operator, without following redirects. Unless `allowPrivate` is set, checks the
 * resolved IP address, so that DNS rebinding cannot reach a private host.
 */
export async function postOutbound(url: string, options: Outbound): Promise<OutboundReply> {
  const target = new URL(url)
  const literal = literalAddress(target)
  if (!options.allowPrivate && literal !== undefined && !isPublicAddress(literal))
    throw new Error(`refused: ${literal} is not a public address`)
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const signal = AbortSignal.timeout(options.timeoutMs)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(target, {
        method: 'POST',
        headers: { ...options.headers, 'content-length': Buffer.byteLength(options.body) },
        signal,
        // A pooled connection would skip the lookup that checks the IP address.
        agent: false,
        ...(options.allowPrivate ? {} : { lookup: publicLookup }),
      })
      request.on('error', reject).on('response', resolve).end(options.body)
    })
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length >= MAX_ANSWER) break
    }
    return { status: response.statusCode ?? 0, text: text.slice(0, MAX_ANSWER).replaceAll('\0', '') }
  } catch (error) {
    throw signal.aborted ? new Error(`no answer in ${options.timeoutMs} ms`) : error
  }
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    const refused = addresses?.find(({ address }) => !isPublicAddress(address))
    if (error) callback(error, '')
    else if (refused || !first)
      callback(new Error(`refused: ${hostname} is ${refused?.address}, not a public address`), '')
    else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
