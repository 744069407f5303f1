import { Int, Nullable, Open, Page, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** One thing that happened to or about a person. */
const HistoryEntry = Shared('HistoryEntry', {
  id: Type.String(),
  at: Time,
  event: Type.String({
    description: '`report`, `report.passed`, `report.rejected`, `appeal`, or an action of the audit log',
  }),
  by: Nullable(
    Type.Integer({
      description: 'who did it; null where that is not known, as of reports that were brought along',
    }),
  ),
  subject: Type.String({ description: 'such as `reports/7`, or `users/3` for what concerns the account' }),
  details: Nullable(Open),
})
export type HistoryEntry = Static<typeof HistoryEntry>

/** What happened about a person, newest first. */
export const History = Shared('History', { data: Type.Array(HistoryEntry), total: Type.Integer() })

export const HistoryQuery = Type.Object({
  page: Page,
  after: Type.Optional(Text(64)),
  limit: Type.Optional(Int(1, 100, { default: 15 })),
})
export type HistoryQuery = Static<typeof HistoryQuery>
