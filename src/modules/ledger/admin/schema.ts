import { listingQuery } from '#platform/listing.ts'
import { Id, Nullable, OneOf, type Static, Time, Type } from '#platform/schema.ts'
import { CURRENCIES } from '../schema.ts'

/** What lists of requests that are decided once are narrowed to. */
export const requestQuery = <const S extends readonly string[]>(states: S) =>
  Type.Object({
    ...listingQuery(['id', 'amount', 'updated_at'] as const),
    state: Type.Optional(OneOf(states)),
    currency: Type.Optional(OneOf(CURRENCIES)),
    user: Type.Optional(Id),
  })
export type RequestQuery = Omit<Static<ReturnType<typeof requestQuery<[]>>>, 'state'> & { state?: string }

/** Whose request it is. */
export const Owner = Nullable(
  Type.Unsafe<{ id: number; name: string }>({ type: 'object', additionalProperties: true }),
)

/** What was decided on a request, and when. */
export const decided = {
  remark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}
