import { listingQuery } from '#platform/listing.ts'
import {
  Cursor,
  Flag,
  Id,
  Int,
  Limit,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/schema.ts'

export const SANCTION_KINDS = ['warning', 'silence', 'suspension'] as const
export type SanctionKind = (typeof SANCTION_KINDS)[number]

/** What is done about a person. Without `hours` it lasts until somebody lifts it; a warning takes none. */
export const SanctionInput = Shared('NewSanction', {
  kind: OneOf(SANCTION_KINDS),
  reason: Text(500, { minLength: 1, description: 'The person is told it' }),
  hours: Type.Optional(Int(1, 87_600)),
})
export type SanctionInput = Static<typeof SanctionInput>

const shown = {
  id: Type.Integer(),
  kind: OneOf(SANCTION_KINDS),
  reason: Type.String(),
  in_force: Type.Boolean(),
  ends_at: Nullable(Time),
  lifted_at: Nullable(Time),
  created_at: Time,
}

/** A sanction as the person sees it whom it is about, with the last appeal against it. */
export const OwnSanction = Shared('OwnSanction', {
  ...shown,
  appeal: Nullable(
    Shared('OwnAppeal', {
      id: Type.Integer(),
      state: Type.String({ description: 'pending, accepted, rejected' }),
      answer: Nullable(Type.String()),
      created_at: Time,
    }),
  ),
})
export type OwnSanction = Static<typeof OwnSanction>

export const OwnSanctionQuery = Type.Object({ limit: Limit(), after: Cursor })
export type OwnSanctionQuery = Static<typeof OwnSanctionQuery>

/** A sanction as moderators see it. */
export const Sanction = Shared('Sanction', {
  ...shown,
  user_id: Type.Integer(),
  name: Type.String(),
  imposed_by: Type.Integer(),
  report_id: Nullable(Type.Integer()),
  lifted_by: Nullable(Type.Integer()),
})
export type Sanction = Static<typeof Sanction>

/** Sanctions by person and kind; `q` finds words of the reason. */
export const SanctionQuery = Type.Object({
  ...listingQuery(['id']),
  user: Type.Optional(Id),
  kind: Type.Optional(OneOf(SANCTION_KINDS)),
  in_force: Type.Optional(Flag()),
})
export type SanctionQuery = Static<typeof SanctionQuery>

export const SanctionParams = Type.Object({ sanction: Id })
