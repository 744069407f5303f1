import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { deleteDevice, findDevices, saveDevice } from './queries.ts'
import { DeviceInput, DeviceToken, DeviceView } from './schema.ts'

const MAX_DEVICES = 20

/** The devices that a person's notifications are sent to (notifications-13). */
export function deviceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/devices', {
    operationId: 'listDevices',
    summary: 'List my devices that notifications are sent to',
    access: 'user',
    reply: { 200: Type.Array(DeviceView) },
    handler: async ({ viewer }) =>
      (await findDevices(sql, [viewer.id])).map((device) => ({
        ...device,
        updated_at: wireTime(device.updated_at),
      })),
  })

  route('PUT /user/devices', {
    operationId: 'registerDevice',
    summary: 'Send notifications to this device, in the language of this request, until signed out',
    whileSilenced: true,
    access: 'user',
    body: DeviceInput,
    reply: { 204: Empty },
    handler: ({ viewer: { id, family }, body, request }) =>
      saveDevice(sql, { ...body, user_id: id, family, language: language(request) }, MAX_DEVICES),
  })

  route('DELETE /user/devices', {
    operationId: 'forgetDevice',
    summary: 'Send nothing more to a device',
    whileSilenced: true,
    access: 'user',
    body: DeviceToken,
    reply: { 204: Empty },
    handler: ({ viewer, body }) => deleteDevice(sql, viewer.id, body.token),
  })
}
