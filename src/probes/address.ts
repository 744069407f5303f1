import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Probe } from '#contracts/health-check.ts'
import type { Config } from '#platform/config'
import { addressOf, HealthFault, networkFault, targetOf } from '#platform/health'
import { signSite } from '#platform/http'

const PATIENCE_MS = 8_000
/** Days before the end of a certificate, after which the usual automatic renewal has failed. */
const RENEWED_DAYS = 14
const DAY_MS = 86_400_000

const isLoopback = (host: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host)

/** Asks PUBLIC_URL for the signature of this site, which no other site knows. */
const addressProbe: Probe = {
  part: 'address',
  settings: 'PUBLIC_URL',
  worksAlone: true,
  isUsed: ({ config }) => !config.publicUrlIsDerived,
  async check(ctx) {
    const { publicUrl } = ctx.config
    const challenge = randomBytes(16).toString('hex')
    const reply = await fetch(`${publicUrl}/health/live?challenge=${challenge}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error) => {
      const target = targetOf('PUBLIC_URL', publicUrl)
      const isSlow = (error as Error).name === 'TimeoutError'
      throw isSlow
        ? new HealthFault('no_reply', { ...target, address: addressOf(target) }, error)
        : (networkFault(error, target) ?? error)
    })
    const location = reply.headers.get('location')
    if (location !== null)
      throw new HealthFault('address_redirects', {
        address: publicUrl,
        location: originOf(location, publicUrl),
      })
    if (reply.status >= 400)
      throw new HealthFault('address_status', { address: publicUrl, status: reply.status })
    const body = (await reply.json().catch(() => null)) as { site?: unknown } | null
    if (body?.site !== signSite(ctx.secrets, challenge))
      throw new HealthFault('address_other_site', { address: publicUrl })
    const { protocol, hostname } = new URL(publicUrl)
    if (protocol === 'http:' && !isLoopback(hostname)) throw new HealthFault('address_plain')
  },
}

const originOf = (location: string, base: string) => URL.parse(location, base)?.origin ?? base

/** Reads when the certificate of an address ends. */
async function certificateEnd(url: string): Promise<Date> {
  const { hostname, port } = new URL(url)
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    ...(isIP(hostname) ? {} : { servername: hostname }),
    // The address probe reports a certificate that no client accepts.
    rejectUnauthorized: false,
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) })
    return new Date(socket.getPeerCertificate().valid_to)
  } catch (error) {
    throw networkFault(error, targetOf('PUBLIC_URL', url)) ?? error
  } finally {
    socket.destroy()
  }
}

export function certificateFault(url: string, end: Date, now = Date.now()): HealthFault | undefined {
  const address = addressOf(targetOf('PUBLIC_URL', url))
  if (end.getTime() <= now) return new HealthFault('certificate_expired', { address })
  if (end.getTime() - now > RENEWED_DAYS * DAY_MS) return undefined
  return new HealthFault('certificate_ends', { address, date: end.toISOString().slice(0, 10) })
}

const certificateProbe: Probe = {
  part: 'certificate',
  isSilent: true,
  settings: 'the certificate of PUBLIC_URL',
  worksAlone: true,
  isUsed: ({ config }) => config.publicUrl.startsWith('https:') && !config.publicUrlIsDerived,
  async check({ config: { publicUrl } }) {
    const fault = certificateFault(publicUrl, await certificateEnd(publicUrl))
    if (fault) throw fault
  },
}

/**
 * Announces an upload of the largest size without sending it. A proxy with a smaller limit answers 413 at once. Any
 * other proxy asks for the body.
 */
async function checkUploadLimit({ publicUrl, maxUploadBytes }: Pick<Config, 'publicUrl' | 'maxUploadBytes'>) {
  const request = (publicUrl.startsWith('https:') ? tlsRequest : plainRequest)(`${publicUrl}/health/live`, {
    method: 'POST',
    headers: {
      expect: '100-continue',
      'content-type': 'application/octet-stream',
      'content-length': maxUploadBytes,
    },
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const answer = new Promise<number>((resolve, reject) => {
    request.on('continue', () => resolve(100))
    request.on('response', (response) => resolve(response.statusCode ?? 0))
    request.on('error', reject)
  })
  request.flushHeaders()
  try {
    if ((await answer) === 413)
      throw new HealthFault('proxy_limit', {
        address: publicUrl,
        size: `${Math.floor(maxUploadBytes / 1_000_000)} MB`,
      })
  } catch (error) {
    // The address probe reports an address that does not answer.
    if (error instanceof HealthFault) throw error
  } finally {
    request.destroy()
  }
}

const uploadLimitProbe: Probe = {
  part: 'upload_limit',
  isSilent: true,
  settings: 'the limit of the proxy',
  worksAlone: true,
  isUsed: ({ config }) => !config.publicUrlIsDerived,
  check: ({ config }) => checkUploadLimit(config),
}

export const ADDRESS_PROBES = [addressProbe, certificateProbe, uploadLimitProbe]
