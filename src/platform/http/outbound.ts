import { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
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

/** Range of IPv4-compatible IPv6 addresses, which could reach private IPv4 hosts. */
const COMPATIBLE = ipaddr.parseCIDR('::/96')

/** Also returns false for private IPv4 addresses embedded in IPv6 addresses. */
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
 * Posts to a URL of a user or operator, without following redirects. Checks the resolved IP address, so that
 * DNS rebinding cannot reach a private host.
 */
export function postOutbound(url: string, options: Outbound): Promise<OutboundReply> {
  const target = new URL(url)
  const literal = literalAddress(target)
  if (!options.allowPrivate && literal !== undefined && !isPublicAddress(literal))
    return Promise.reject(new Error(`refused: ${literal} is not a public address`))
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(target, {
      method: 'POST',
      headers: { ...options.headers, 'content-length': Buffer.byteLength(options.body) },
      signal: AbortSignal.timeout(options.timeoutMs),
      // A pooled connection would skip the lookup that checks the IP address.
      agent: false,
      ...(options.allowPrivate ? {} : { lookup: publicLookup }),
    })
    request.on('error', (error) =>
      reject(
        error.name === 'TimeoutError' || error.name === 'AbortError'
          ? new Error(`no answer in ${options.timeoutMs} ms`)
          : error,
      ),
    )
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8').slice(0, MAX_ANSWER).replaceAll('\0', ''),
        })
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length < MAX_ANSWER) return
        done()
        response.destroy()
      })
      response.on('end', done)
      response.on('error', reject)
    })
    request.end(options.body)
  })
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
