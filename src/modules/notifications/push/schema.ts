import { OneOf, Shared, Text, Time, Type } from '#platform/schema.ts'

const token = Text(512, { minLength: 8 })
const platform = OneOf(['ios', 'android', 'web'] as const)

/** A device to send notifications to. */
export const DeviceInput = Shared('NewDevice', { token, platform })

/** A device by the token that the push service knows it by. */
export const DeviceToken = Shared('DeviceToken', { token })

/** A device that notifications are sent to. */
export const DeviceView = Shared('Device', {
  token: Type.String(),
  platform: Type.String(),
  updated_at: Time,
})
