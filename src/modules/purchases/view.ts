import { wireTime } from '#lib/time.ts'
import type { Language, Text } from '#platform/errors.ts'
import type { NodeRow } from './queries.ts'
import type { PaidNode } from './schema.ts'

const SUBJECTS: Record<string, Text> = {
  feed: { en: 'Post', zh: '购买动态' },
  file: { en: 'File', zh: '购买附件' },
  music: { en: 'Album', zh: '购买专辑' },
}
const BODIES: Record<string, Text> = {
  feed: { en: 'Pay to read the whole post.', zh: '购买后可查看完整动态。' },
  file: { en: 'Pay to use the file.', zh: '购买后可使用该附件。' },
  music: { en: 'Pay to listen to the album.', zh: '购买后可收听该专辑。' },
}

/** A payment node in the client's language. */
export const nodeView = (row: NodeRow, language: Language): PaidNode => ({
  id: row.id,
  channel: row.channel,
  raw: String(row.raw),
  subject: row.subject ?? SUBJECTS[row.channel]?.[language] ?? '',
  body: row.body ?? BODIES[row.channel]?.[language] ?? '',
  amount: row.amount,
  user_id: row.user_id,
  extra: row.extra,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  paid: row.paid,
})
