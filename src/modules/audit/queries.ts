import type { Db } from '#platform/database.ts'

/** Who changes something, and in which request: the call of a route is one. */
export type Actor = { viewer: { id: number }; request: { id: string } }

export type AuditEntry = {
  /** Such as `topics.review`. */
  action: string
  subjectType: string
  subjectId: number | string
  /** What changed, as it was and as it is. Passwords and other secrets are never put here. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

/** Keeps an administrative change, in the transaction that makes it (administration-4). */
export async function recordAudit(tx: Db, { viewer, request }: Actor, entry: AuditEntry): Promise<void> {
  await tx`
    insert into audit_log (user_id, action, subject_type, subject_id, before, after, request_id)
    values (${viewer.id}, ${entry.action}, ${entry.subjectType}, ${String(entry.subjectId)},
      ${entry.before ? tx.json(entry.before as never) : null}, ${entry.after ? tx.json(entry.after as never) : null},
      ${request.id})`
}
