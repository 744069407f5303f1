import type { DigestEntry, DigestSource } from '#contracts/digest.ts'
import { hasEmail, messageUser } from '#modules/mail/index.ts'
import { webLinks } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { type DigestSettings, readDigestSettings } from './settings.ts'

/** The mail leads to pages of the site, and so does the page that ends it. */
export const isOffered = ({ config }: Context, settings: DigestSettings): boolean =>
  config.web && settings['mail:weekly']

export async function findDigest(sql: Db, userId: number): Promise<boolean> {
  return (await sql`select from digest_readers where user_id = ${userId}`).length === 1
}

/** Repeated, it changes the language and keeps the period. */
export const subscribe = (sql: Db, userId: number, language: Language) => sql`
  insert into digest_readers (user_id, language) values (${userId}, ${language})
  on conflict (user_id) do update set language = excluded.language`

export const unsubscribe = (sql: Db, userId: number) => sql`
  delete from digest_readers where user_id = ${userId}`

export const eraseDigest = (tx: Tx, userId: number) => unsubscribe(tx, userId)

const signedText = (userId: number) => `unsubscribe ${userId}`

const tokenOf = ({ secrets }: Context, userId: number): string =>
  `${userId}-${secrets.sign(signedText(userId))}`

/** User whose weekly mail the token ends. The token does not expire, because old mails must end it too. */
export function readerOf({ secrets }: Context, token: string): number | undefined {
  const [, digits, signature = ''] = /^(\d{1,15})-(.+)$/.exec(token) ?? []
  const userId = Number(digits)
  return digits !== undefined && secrets.verify(signedText(userId), signature) ? userId : undefined
}

const AT_ONCE = 200
/** Entries of each source. */
const ENTRIES = 5

type ReaderRow = Row<'digest_readers', 'user_id' | 'language' | 'since'>

const listDue = (sql: Db) => sql<ReaderRow[]>`
  select d.user_id, d.language, d.since from digest_readers d
  where d.since <= now() - interval '7 days' order by d.since, d.user_id limit ${AT_ONCE}`

type Part = { heading: string; entries: DigestEntry[] }

async function textOf(ctx: Context, parts: readonly Part[]): Promise<string> {
  const linkTo = await webLinks(ctx)
  const lineOf = ({ type, id, title, author }: DigestEntry) =>
    [`• ${title || '…'}${author === null ? '' : ` (${author})`}`, linkTo(type, id)]
      .filter((line) => line !== null)
      .join('\n')
  return parts.map(({ heading, entries }) => [heading, ...entries.map(lineOf)].join('\n')).join('\n\n')
}

async function sendDigest(ctx: Context, sources: readonly DigestSource[], row: ReaderRow): Promise<void> {
  const { user_id: viewerId } = row
  const language = row.language as Language
  const since = new Date(`${row.since.slice(0, 19).replace(' ', 'T')}Z`)
  const found = await Promise.all(
    sources.map(async ({ heading, find }) => ({
      heading: heading[language],
      entries: await find(ctx, { viewerId, since, limit: ENTRIES }),
    })),
  )
  const parts = found.filter(({ entries }) => entries.length > 0)
  const items = await textOf(ctx, parts)
  const token = encodeURIComponent(tokenOf(ctx, viewerId))
  await transaction(ctx.sql, async (tx) => {
    // Sends one mail for each period, also when two workers or a retried job read the same row.
    const moved = await tx`
      update digest_readers set since = now() where user_id = ${viewerId} and since = ${row.since}::timestamptz
      returning user_id`
    if (moved.length === 0 || parts.length === 0) return
    if (!(await hasEmail(tx, viewerId))) return
    await messageUser(ctx, tx, viewerId, {
      mail: 'digest',
      values: { items, unsubscribe: `${ctx.config.publicUrl}/unsubscribe?token=${token}` },
      language,
      unsubscribe: `${ctx.config.publicUrl}/api/v2/digest/unsubscribe/${token}`,
      mailOnly: true,
    })
  })
}

/** Sends the mails that are due. A full batch enqueues the next one, so that the job stays short. */
export async function sendDigests(ctx: Context, sources: readonly DigestSource[]): Promise<void> {
  if (!isOffered(ctx, await readDigestSettings(ctx))) return
  const due = await listDue(ctx.sql)
  let sent = 0
  for (const row of due)
    try {
      await sendDigest(ctx, sources, row)
      sent += 1
    } catch (error) {
      // The next run retries it. One failing reader must not withhold the mails of the others.
      ctx.log.error({ err: error, user: row.user_id }, 'a weekly mail failed')
    }
  if (due.length === AT_ONCE && sent > 0) await addJob(ctx.sql, 'send_digests', {})
}
