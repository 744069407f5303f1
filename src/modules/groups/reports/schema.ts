import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'
import { PostItem } from '../posts/schema.ts'
import { Group } from '../schema.ts'

export const ReportParams = Type.Object({ report: Id })

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

export const ReportRejection = Shared('GroupReportRejection', {
  cause: Type.Optional(Nullable(Text(255))),
})

/** The reported post with its title, or comment with its text. */
export const ReportedContent = Shared('ReportedGroupContent', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  images: Type.Optional(PostItem.properties.images),
  body: Type.Optional(Type.String()),
  created_at: Time,
  updated_at: Time,
})

/** A report for managers of a group. Deleted content is null. */
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
  resource: Nullable(ReportedContent),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupReport = Static<typeof GroupReport>
