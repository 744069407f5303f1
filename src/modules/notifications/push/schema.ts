import { OneOf, Text, Time, Type } from '#platform/schema.ts'

const token = Text(512, { minLength: 8 })
const platform = OneOf(['ios', 'android', 'web'] as const)

export const DeviceInput = Type.Object({ token, platform })
export const DeviceToken = Type.Object({ token })
export const Devices = Type.Array(
  Type.Object({ token: Type.String(), platform: Type.String(), updated_at: Time }),
)
