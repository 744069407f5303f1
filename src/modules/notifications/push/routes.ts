import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { deleteDevice, findDevices, saveDevice } from './queries.ts'
import { DeviceInput, Devices, DeviceToken } from './schema.ts'

const MAX_DEVICES = 20

/** The devices that a person's notifications are sent to. */
export function deviceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Notifications']

  server.get(
    '/user/devices',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Devices that notifications are sent to', response: { 200: Devices } },
    },
    async (request) =>
      (await findDevices(sql, [viewerOf(request).id])).map((device) => ({
        ...device,
        updated_at: wireTime(device.updated_at),
      })),
  )

  server.put(
    '/user/devices',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Send notifications to this device, in the language of this request, until signed out',
        body: DeviceInput,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { id, family } = viewerOf(request)
      const device = { ...request.body, user_id: id, family, language: language(request) }
      await saveDevice(sql, device, MAX_DEVICES)
      return reply.code(204).send()
    },
  )

  server.delete(
    '/user/devices',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Send nothing more to a device', body: DeviceToken, response: { 204: Empty } },
    },
    async (request, reply) => {
      await deleteDevice(sql, viewerOf(request).id, request.body.token)
      return reply.code(204).send()
    },
  )
}
