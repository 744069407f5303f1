import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import { type Context, defineState } from '#platform/context.ts'

/** Requests of browsers from pages of this site, by the address that the browser shows. */
export type SeenAddresses = {
  own: number
  other: number
  /** An address other than PUBLIC_URL. */
  origin: string | null
  /** Requests with `X-Forwarded-For` from a proxy that TRUST_PROXY does not list. */
  proxied: number
  proxy: string | null
}

const LONGEST = 200
const LOOPBACK = /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/
const PRIVATE =
  /^(::ffff:)?(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)|^(::1|f[cd][0-9a-f]{2}:|fe80:)/i

const nothing = (): SeenAddresses => ({ own: 0, other: 0, origin: null, proxied: 0, proxy: null })

const originOf = (given: string): string | undefined => {
  const { origin, protocol } = (given.length <= LONGEST * 10 ? URL.parse(given) : null) ?? {}
  return /^https?:$/.test(protocol ?? '') && origin && origin.length <= LONGEST ? origin : undefined
}

/**
 * Compares what browsers send with PUBLIC_URL and TRUST_PROXY. Reads only requests that a page of the same address
 * sent, because their Origin or Referer is the address that the visitor sees, whatever a proxy rewrites.
 */
export const seenAddresses = defineState(({ config }: Pick<Context, 'config' | 'state'>) => {
  let seen = nothing()
  let own = { url: '', origin: '' }
  const isTrusted =
    config.trustProxy === undefined
      ? () => false
      : compile(config.trustProxy.split(',').map((part) => part.trim()))
  return {
    count({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): void {
      if (headers['sec-fetch-site'] !== 'same-origin') return
      if (own.url !== config.publicUrl)
        own = { url: config.publicUrl, origin: URL.parse(config.publicUrl)?.origin ?? '' }
      const given = headers.origin ?? headers.referer ?? ''
      const origin = given === own.origin ? given : originOf(given)
      if (origin === undefined) return
      if (origin === own.origin || (LOOPBACK.test(origin) && LOOPBACK.test(own.origin))) seen.own += 1
      else {
        seen.other += 1
        seen.origin = origin
      }
      const peer = socket.remoteAddress ?? ''
      // Stores private addresses only, because a public one may be that of a visitor.
      if (headers['x-forwarded-for'] === undefined || !PRIVATE.test(peer) || isTrusted(peer, 0)) return
      seen.proxied += 1
      seen.proxy = peer.replace(/^::ffff:/i, '')
    },
    /** Returns the counts since the last call. */
    take(): SeenAddresses {
      const taken = seen
      seen = nothing()
      return taken
    },
  }
})
