import { ECDH } from 'node:crypto'
import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import { Empty, language, OneOf, routesOn, type Server, Shared, Text, Time, Type } from '#platform/http'
import { isPublicAddress, literalAddress } from '#platform/outbound.ts'
import { deleteDevice, findDevices, saveDevice } from './service.ts'
import { webPushKeys } from './web-push.ts'

const token = Text(512, { minLength: 8 })
const platform = OneOf(['ios', 'android', 'web'] as const)

/**
 * Encryption keys of a browser's push subscription. The push token of such a device is the URL of its
 * subscription.
 */
const keys = Shared('WebPushKeys', {
  p256dh: Text(90, { pattern: '^[\\w-]{87}=?$' }),
  auth: Text(26, { pattern: '^[\\w-]{22}(==)?$' }),
})

const DeviceInput = Shared('NewDevice', { token, platform, keys: Type.Optional(keys) })

const noPushAddress = fieldError(
  'token',
  'no_push_address',
  'The token of a subscription must be its public https URL.',
  '推送订阅的令牌（token）必须是其公网 https 地址。',
)

const noPushKey = fieldError(
  'keys',
  'no_push_key',
  'The key p256dh of a subscription must be a point on the curve P-256.',
  '推送订阅的 p256dh 密钥必须是 P-256 曲线上的点。',
)

/** Web Push can encrypt messages only for a valid point of the P-256 curve. */
function isCurvePoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

const DeviceToken = Shared('DeviceToken', { token })

const DeviceView = Shared('Device', {
  token: Type.String(),
  platform: Type.String(),
  updated_at: Time,
})

const PushKey = Shared('PushKey', { public_key: Type.String() })

const MAX_DEVICES = 20

export function deviceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  /**
   * Unless private addresses are allowed, requires HTTPS and a public host, to prevent requests to private networks.
   * The server checks the resolved address for each push message.
   */
  function isPushAddress(address: string): boolean {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (!url || url.username || url.password) return false
    if (ctx.config.pushAllowPrivate) return ['http:', 'https:'].includes(url.protocol)
    const literal = literalAddress(url)
    const isLocal = /(^|\.)(localhost|local|internal)\.?$/.test(url.hostname)
    return url.protocol === 'https:' && !isLocal && (literal === undefined || isPublicAddress(literal))
  }

  route('GET /user/push/key', {
    operationId: 'getPushKey',
    summary: 'Read the public key for Web Push subscriptions',
    access: 'user',
    reply: { 200: PushKey },
    handler: async () => ({ public_key: (await webPushKeys(ctx)).publicKey }),
  })

  route('GET /user/devices', {
    operationId: 'listDevices',
    summary: 'List my devices registered for notifications',
    access: 'user',
    reply: { 200: Type.Array(DeviceView) },
    handler: async ({ viewer }) =>
      (await findDevices(sql, [viewer.id])).map(({ token, platform, updated_at }) => ({
        token,
        platform,
        updated_at: wireTime(updated_at),
      })),
  })

  route('PUT /user/devices', {
    operationId: 'registerDevice',
    summary: 'Register a device for notifications until sign-out, in the language of the request',
    whileSilenced: true,
    access: 'user',
    body: DeviceInput,
    reply: { 204: Empty },
    errors: [noPushAddress, noPushKey],
    handler: ({ viewer: { id, family }, body, request }) => {
      const { token, platform, keys } = body
      if (keys && !isPushAddress(token)) throw noPushAddress()
      if (keys && !isCurvePoint(keys.p256dh)) throw noPushKey()
      const device = { token, platform, user_id: id, family, language: language(request) }
      const web = { web_p256dh: keys?.p256dh ?? null, web_auth: keys?.auth ?? null }
      return saveDevice(sql, { ...device, ...web }, MAX_DEVICES)
    },
  })

  route('DELETE /user/devices', {
    operationId: 'forgetDevice',
    summary: 'Unregister a device from notifications',
    whileSilenced: true,
    access: 'user',
    body: DeviceToken,
    reply: { 204: Empty },
    handler: ({ viewer, body }) => deleteDevice(sql, viewer.id, body.token),
  })
}
