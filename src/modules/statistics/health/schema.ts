import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'

const STATES = ['good', 'warning', 'failing', 'off', 'unknown'] as const

const Figure = Shared('HealthFigure', { name: Type.String(), value: Type.Number() })

/** One part of the server. */
const HealthPart = Shared('HealthPart', {
  name: Type.String({ description: 'database, jobs, mail, im, uploads, backups' }),
  state: OneOf(STATES, { description: '`unknown` until it was looked at' }),
  since: Nullable({ ...Time, description: 'since when it is not in order, as far as is known' }),
  fault: Nullable(Type.String({ description: 'what was found, as programs told it' })),
  good_at: Nullable({
    ...Time,
    description: 'when it was last seen in order; the last backup that is whole',
  }),
  checked_at: Nullable(Time),
  figures: Type.Array(Figure),
})
export type HealthPart = Static<typeof HealthPart>

/** What the server stands on, part by part. */
export const ServerHealth = Shared('ServerHealth', { parts: Type.Array(HealthPart) })
export type ServerHealth = Static<typeof ServerHealth>
