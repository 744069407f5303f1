import { SanctionInput, UserView } from '#modules/accounts/index.ts'
import {
  Flag,
  Id,
  Int,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

/** A report in the administration. */
export const Report = Shared('Report', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer({ description: 'Who published what is reported; 0 for nobody' }),
  reportable_type: Type.String(),
  reportable_id: Type.Integer(),
  subject: Type.String({ description: 'What was reported, in its words of then' }),
  reason: Nullable(Type.String()),
  status: Type.Integer({ description: '0 open, 1 dealt with, 2 rejected' }),
  mark: Nullable(Type.String()),
  handled_by: Nullable(Type.Integer()),
  handled_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  target: Nullable(UserView),
})
export type Report = Static<typeof Report>

/** `q` searches the reported text and the reason. */
export const ReportSearch = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(Int(0, 2)),
  type: Type.Optional(Text(50)),
  user_id: Type.Optional(Id),
  target_user: Type.Optional(Id),
})
export type ReportSearch = Static<typeof ReportSearch>

/**
 * A decision on a report. `mark` is an internal note. `deal` can remove the target with `remove`, and warn,
 * silence or suspend its author with `sanction`. All parts apply or none.
 */
export const ReportDecision = Shared('ReportDecision', {
  action: OneOf(['deal', 'reject'] as const),
  mark: Type.Optional(Text(255)),
  remove: Type.Optional(Flag()),
  sanction: Type.Optional(SanctionInput),
})
export type ReportDecision = Static<typeof ReportDecision>
