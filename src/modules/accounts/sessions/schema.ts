import { Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** A sign-in of one's own. */
export const Session = Shared('Session', {
  id: Type.String(),
  device: Nullable(
    Type.String({ description: 'what the client calls itself; null for one from before this was kept' }),
  ),
  place: Nullable(Type.String({ description: 'the network it was last seen in' })),
  current: Type.Boolean({ description: 'whether this request belongs to it' }),
  created_at: Time,
  used_at: Time,
})
export type Session = Static<typeof Session>

export const SessionParams = Type.Object({
  session: Text(36, { pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
})
