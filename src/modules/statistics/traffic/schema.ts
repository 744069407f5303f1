import { Int, Nullable, Shared, type Static, Time, Type } from '#platform/schema.ts'

/** At most the seven days that are kept. */
export const TrafficQuery = Type.Object({ hours: Type.Optional(Int(1, 168, { default: 24 })) })

const Piece = Shared('TrafficPiece', {
  at: Time,
  requests: Type.Integer(),
  faults: Type.Integer({ description: 'answered with 5xx' }),
  median_ms: Nullable(Type.Number({ description: 'half took less; null where nobody asked' })),
  p95_ms: Nullable(Type.Number({ description: '95 of 100 took less' })),
})

/** Requests of all processes and how long they took, in pieces of equal length that are over. */
export const TrafficHistory = Shared('TrafficHistory', {
  minutes: Type.Integer({ description: 'how long a piece is' }),
  pieces: Type.Array(Piece),
})
export type TrafficHistory = Static<typeof TrafficHistory>
