import { apiError } from '#platform/errors.ts'
import { Id, listingQuery, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'
import { SANCTION_KINDS } from '../sanctions/schema.ts'
import { SignIn } from '../sign-in/schema.ts'

export const nothingToAppeal = apiError(
  422,
  'nothing_to_appeal',
  'Nothing is in force against which you could appeal.',
  '没有可申诉的处罚。',
)
export const appealOpen = apiError(
  422,
  'appeal_open',
  'An appeal of yours is being looked at already.',
  '你已有一个申诉正在处理中。',
)
export const appealDecided = apiError(
  422,
  'appeal_decided',
  'This appeal has been decided already.',
  '该申诉已被处理。',
)

const Contents = Text(2000, { minLength: 1 })

/** A new appeal. Default `sanction`: the latest in force. */
export const AppealInput = Shared('NewAppeal', { contents: Contents, sanction: Type.Optional(Id) })
export type AppealInput = Static<typeof AppealInput>

/** An appeal without a session. It carries the credentials of a sign-in. */
export const OutsideAppealInput = Shared('NewAppealOutside', { ...SignIn.properties, contents: Contents })
export type OutsideAppealInput = Static<typeof OutsideAppealInput>

const STATES = ['pending', 'accepted', 'rejected'] as const

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

/** Filters appeals by state and user. `q` matches their text. */
export const AppealQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(STATES)),
  user: Type.Optional(Id),
})
export type AppealQuery = Static<typeof AppealQuery>

export const AppealParams = Type.Object({ appeal: Id })

/** A decision. Acceptance lifts the sanction. The user sees `answer`. */
export const AppealDecision = Shared('AppealDecision', {
  action: OneOf(['accept', 'reject'] as const),
  answer: Type.Optional(Text(1000)),
})
export type AppealDecision = Static<typeof AppealDecision>
