import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { PostItem } from '../posts/schema.ts'
import { Group } from '../schema.ts'

export const ReportParams = Type.Object({ report: Id })

/** Why a post or a comment is reported. */
export const ReportToManagers = Shared('ReportToManagers', { content: Text(255, { minLength: 1 }) })

const MAX_SECONDS = 9_999_999_999
export const ReportsQuery = Type.Object({
  group_id: Type.Optional(Id),
  status: Type.Optional(Int(0, 2)),
  start: Type.Optional(Int(0, MAX_SECONDS)),
  end: Type.Optional(Int(0, MAX_SECONDS)),
  after: Cursor,
  limit: Limit(),
})
export type ReportsQuery = Static<typeof ReportsQuery>

/** Why a report is rejected. */
export const ReportRejection = Shared('GroupReportRejection', {
  cause: Type.Optional(Nullable(Text(255))),
})

/** A report that the managers of a group handle; the resource is null when it is gone. */
export const GroupReport = Shared('GroupReport', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  target_id: Type.Integer({ description: 'Who published what is reported' }),
  type: Type.String({ description: 'post or comment' }),
  resource_id: Type.Integer(),
  content: Type.String(),
  status: Type.Integer({ description: '0 open, 1 accepted, 2 rejected' }),
  cause: Nullable(Type.String()),
  handler: Nullable(Type.Integer()),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  target: Nullable(UserView),
  group: Nullable(Group),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupReport = Static<typeof GroupReport>
