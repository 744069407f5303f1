import { listingQuery } from '#platform/listing.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { SANCTION_KINDS } from '../sanctions/schema.ts'
import { SignIn } from '../sign-in/schema.ts'

const Contents = Text(2000, { minLength: 1 })

/** An appeal; without `sanction` it is against the last thing that is in force. */
export const AppealInput = Shared('NewAppeal', { contents: Contents, sanction: Type.Optional(Id) })
export type AppealInput = Static<typeof AppealInput>

/** An appeal of somebody who cannot sign in and proves who they are as for a sign-in. */
export const OutsideAppealInput = Shared('NewAppealOutside', { ...SignIn.properties, contents: Contents })
export type OutsideAppealInput = Static<typeof OutsideAppealInput>

const STATES = ['pending', 'accepted', 'rejected'] as const

/** An appeal as moderators see it. */
export const Appeal = Shared('Appeal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  name: Type.String(),
  contents: Type.String(),
  state: OneOf(STATES),
  answer: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  sanction: Shared('AppealedSanction', {
    id: Type.Integer(),
    kind: OneOf(SANCTION_KINDS),
    reason: Type.String(),
    imposed_by: Type.Integer(),
    ends_at: Nullable(Time),
    created_at: Time,
  }),
})
export type Appeal = Static<typeof Appeal>

/** Appeals by state and person; `q` finds words of them. */
export const AppealQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(STATES)),
  user: Type.Optional(Id),
})
export type AppealQuery = Static<typeof AppealQuery>

export const AppealParams = Type.Object({ appeal: Id })

/** What is decided: accepting lifts the sanction. The person is told `answer`. */
export const AppealDecision = Shared('AppealDecision', {
  action: OneOf(['accept', 'reject'] as const),
  answer: Type.Optional(Text(1000)),
})
export type AppealDecision = Static<typeof AppealDecision>
