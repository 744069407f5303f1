import { connect } from 'node:http2'
import type { ApnsKey, FcmAccount, JpushKey } from '#platform/config'
import { type Context, defineState } from '#platform/context.ts'
import { createPush, type PushMessage, type PushSender, routePush, type SitePush } from './sender.ts'

const SERVICE_ORIGINS = {
  fcm: 'https://fcm.googleapis.com',
  apns: 'https://api.push.apple.com',
  jpush: 'https://api.jpush.cn',
}

const TIMEOUT_MS = 10_000
const MAX_CONCURRENT = 20
/** Cache lifetime of access tokens, which are valid for an hour. */
const TOKEN_MS = 50 * 60_000

/** `gone` means that the device token is no longer registered. `rejected` messages must not be retried. */
type Outcome = 'sent' | 'gone' | 'rejected'

async function sendEach(
  messages: PushMessage[],
  send: (message: PushMessage) => Promise<Outcome>,
): Promise<{ gone: string[]; failed: string[]; rejected: string[] }> {
  const expired: string[] = []
  const failed: string[] = []
  const rejected: string[] = []
  const waiting = messages.values()
  await Promise.all(
    Array.from({ length: Math.min(MAX_CONCURRENT, messages.length) }, async () => {
      for (const message of waiting)
        try {
          const outcome = await send(message)
          if (outcome === 'gone') expired.push(message.token)
          if (outcome === 'rejected') rejected.push(message.token)
        } catch {
          failed.push(message.token)
        }
    }),
  )
  return { gone: expired, failed, rejected }
}

function cachedToken(make: () => Promise<string>) {
  let held: { token: Promise<string>; until: number } | undefined
  return {
    read(): Promise<string> {
      if (!held || held.until < performance.now())
        held = { token: make(), until: performance.now() + TOKEN_MS }
      const { token } = held
      token.catch(() => {
        held = undefined
      })
      return token
    },
    forget() {
      held = undefined
    },
  }
}

const collapseKey = ({ data }: PushMessage) =>
  data.type === 'like' || data.type === 'follow' ? String(data.type) : undefined

const textData = ({ data }: PushMessage) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]))

const retryable = (service: string, status: number) => new Error(`${service} answered ${status}`)

export function createFcm(account: FcmAccount, origin = SERVICE_ORIGINS.fcm): PushSender {
  const access = cachedToken(async () => {
    const { importPKCS8, SignJWT } = await import('jose')
    const key = await importPKCS8(account.private_key, 'RS256')
    const assertion = await new SignJWT({ scope: 'https://www.googleapis.com/auth/firebase.messaging' })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key)
    const response = await fetch(account.token_uri, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) throw retryable('the token service of FCM', response.status)
    return ((await response.json()) as { access_token: string }).access_token
  })
  const post = async (body: object) =>
    fetch(`${origin}/v1/projects/${account.project_id}/messages:send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await access.read()}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  return {
    async check() {
      const { status } = await post({ validate_only: true, message: { topic: 'kith-check' } })
      if (status === 401) access.forget()
      if (status !== 200) throw retryable('FCM', status)
    },
    send: (messages) =>
      sendEach(messages, async (message) => {
        const { token, title, text, badge } = message
        const collapse = collapseKey(message)
        const response = await post({
          message: {
            token,
            notification: { title, body: text },
            data: textData(message),
            android: {
              ...(collapse ? { collapse_key: collapse } : {}),
              notification: { notification_count: badge ?? 0 },
            },
          },
        })
        const reply = await response.text()
        if (response.ok) return 'sent'
        // A 404 without `UNREGISTERED` means an unknown project, not an unknown device.
        if (reply.includes('UNREGISTERED')) return 'gone'
        if (response.status === 401 || response.status === 429 || response.status >= 500) {
          if (response.status === 401) access.forget()
          throw retryable('FCM', response.status)
        }
        return 'rejected'
      }),
  }
}

export function createApns(
  { key, keyId, teamId, topic }: ApnsKey,
  origin = SERVICE_ORIGINS.apns,
): PushSender {
  const access = cachedToken(async () => {
    const { importPKCS8, SignJWT } = await import('jose')
    return new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt()
      .sign(await importPKCS8(key, 'ES256'))
  })
  function open() {
    const session = connect(origin)
    // Prevents a crash. Each open request also fails with the connection error.
    session.on('error', () => {})
    const post = (headers: Record<string, string>, path: string, body: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const request = session.request({ ':method': 'POST', ':path': path, ...headers })
        let status = 0
        let text = ''
        request.setEncoding('utf8')
        request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error('APNs did not answer')))
        request.on('response', (answer) => {
          status = Number(answer[':status'])
        })
        request.on('data', (chunk: string) => {
          text += chunk
        })
        request.on('end', () => resolve({ status, text }))
        request.on('error', reject)
        request.end(body)
      })
    return { post, close: () => session.close() }
  }
  const common = async () => ({
    authorization: `bearer ${await access.read()}`,
    'apns-topic': topic,
    'apns-push-type': 'alert',
  })
  return {
    async check() {
      const { post, close } = open()
      try {
        const { status, text } = await post(await common(), `/3/device/${'0'.repeat(64)}`, '{"aps":{}}')
        // Apple checks the device token last, so an error of the token proves that the signing key and the topic
        // are valid.
        if (!/BadDeviceToken|Unregistered|DeviceTokenNotForTopic/.test(text)) {
          access.forget()
          throw new Error(`APNs answered ${status} ${/"reason":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim())
        }
      } finally {
        close()
      }
    },
    async send(messages) {
      const { post, close } = open()
      try {
        return await sendEach(messages, async (message) => {
          const { token, title, text, badge } = message
          const collapse = collapseKey(message)
          const answer = await post(
            {
              ...(await common()),
              ...(collapse ? { 'apns-collapse-id': collapse } : {}),
            },
            `/3/device/${encodeURIComponent(token)}`,
            JSON.stringify({
              aps: { alert: { title, body: text }, badge: badge ?? 0, sound: 'default' },
              ...message.data,
            }),
          )
          if (answer.status === 200) return 'sent'
          if (answer.status === 410 || /BadDeviceToken|Unregistered/.test(answer.text)) return 'gone'
          if (answer.text.includes('ExpiredProviderToken')) access.forget()
          if (answer.status === 403 || answer.status === 429 || answer.status >= 500 || answer.status === 0)
            throw retryable('APNs', answer.status)
          return 'rejected'
        })
      } finally {
        close()
      }
    },
  }
}

const NO_SUCH_REGISTRATION = 1011

export function createJpush({ appKey, masterSecret }: JpushKey, origin = SERVICE_ORIGINS.jpush): PushSender {
  const authorization = `Basic ${Buffer.from(`${appKey}:${masterSecret}`).toString('base64')}`
  const post = (path: string, body: object) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  return {
    async check() {
      const response = await post('/v3/push/validate', {
        platform: 'all',
        audience: { registration_id: ['kith-check'] },
        notification: { alert: 'check' },
      })
      const reply = (await response.json().catch(() => ({}))) as { error?: { code?: number } }
      if (!response.ok && reply.error?.code !== NO_SUCH_REGISTRATION)
        throw retryable('JPush', response.status)
    },
    send: (messages) =>
      sendEach(messages, async (message) => {
        const { token, title, text, badge } = message
        const alert = text || title
        const response = await post('/v3/push', {
          platform: 'all',
          audience: { registration_id: [token] },
          notification: {
            android: { title, alert, extras: message.data },
            ios: { alert: { title, body: text }, badge: String(badge ?? 0), extras: message.data },
          },
          options: { apns_production: true },
        })
        const reply = (await response.json().catch(() => ({}))) as { error?: { code?: number } }
        if (response.ok) return 'sent'
        if (reply.error?.code === NO_SUCH_REGISTRATION) return 'gone'
        if (response.status === 401 || response.status === 429 || response.status >= 500)
          throw retryable('JPush', response.status)
        return 'rejected'
      }),
  }
}

function openPush({ config, log }: Context): SitePush {
  const { fcm, apns, jpush } = config.push
  const { pushUrl: url, pushSecret: secret = '' } = config
  const gateway = createPush(url ? { provider: 'http', url, secret } : { provider: 'log', log })
  const services = {
    ...(url ? { gateway } : {}),
    ...(fcm ? { fcm: createFcm(fcm) } : {}),
    ...(apns
      ? { apns: createApns(apns, apns.isSandbox ? 'https://api.sandbox.push.apple.com' : undefined) }
      : {}),
    ...(jpush ? { jpush: createJpush(jpush) } : {}),
  }
  const routed = routePush(gateway, {
    android: services.fcm ?? services.jpush,
    ios: services.apns ?? services.jpush,
  })
  return { ...routed, services }
}

/** Without a push service, the server logs push messages instead of sending them. */
export const pushSender = defineState(openPush)
