import { UserView } from '#modules/accounts/index.ts'
import { Listing } from '#platform/listing.ts'
import {
  Direction,
  Id,
  Int,
  Limit,
  Nullable,
  OneOf,
  Page,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/schema.ts'

/** A report as those who handle it see it (R §23.1). */
export const ReportView = Shared('Report', {
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
export type ReportView = Static<typeof ReportView>

/** The filters and pages of GET /admin/reports (decisions §12). */
export const ReportSearch = Type.Object({
  page: Page,
  limit: Limit(),
  sort: Type.Optional(OneOf(['id'] as const, { default: 'id' })),
  order: Direction,
  q: Type.Optional(Text(100)),
  status: Type.Optional(Int(0, 2)),
  type: Type.Optional(Text(50)),
  user_id: Type.Optional(Id),
  target_user: Type.Optional(Id),
})
export type ReportSearch = Static<typeof ReportSearch>

export const ReportListing = Listing(ReportView)

/** The decision of PATCH /admin/reports/{report} (decisions §12). */
export const ReportDecision = Type.Object({
  action: OneOf(['deal', 'reject'] as const),
  mark: Type.Optional(Text(255)),
})
export type ReportDecision = Static<typeof ReportDecision>
