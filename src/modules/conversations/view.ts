import { wireTime } from '#lib/time.ts'
import type { ConversationRow } from './queries.ts'
import type { ConversationView } from './schema.ts'

/** A part of a conversation as its reader gets it. Nothing is changed once it was written. */
export function conversationView(row: ConversationRow): ConversationView {
  const created_at = wireTime(row.created_at)
  return { ...row, options: null, created_at, updated_at: created_at }
}
