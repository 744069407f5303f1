import { messageUser } from '#modules/mail/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { type Environment, withContext } from '../../src/commands/context.ts'
import { findImport } from './database/state.ts'

const AT_ONCE = 200
const SHOWN_MAX = 100

type Renamed = { id: number; was: string; name: string; way: 'mail' | 'sms' | null }
type Ways = Record<'mail' | 'sms', boolean>

const REASONS = {
  none: 'no e-mail address or phone number',
  mail: 'SMTP_URL is not set',
  sms: 'no provider of text messages is set',
}

/**
 * Finds users who still have the name that the import gave them, and have received no letter. `was` is JSON, because
 * PostgreSQL cannot store a NUL of the old name.
 */
const listRenamed = (tx: Tx, after: number) => tx<Renamed[]>`
  select u.id, n.was, u.name,
    case when u.email is not null then 'mail' when u.phone is not null then 'sms' end as way
  from (
    select distinct on (row_key::bigint) row_key::bigint as id, was, became from import_notes
    where source_table = 'users' and source_column = 'name' and outcome = 'mended' and row_key ~ '^[0-9]{1,15}$'
    order by row_key::bigint, id desc
  ) n
  join users u on u.id = n.id
  where u.id > ${after} and u.deleted_at is null and n.became::jsonb #>> '{}' = u.name
    and not exists (select from import_letters l where l.user_id = u.id)
  order by u.id limit ${AT_ONCE}`

function shown(was: string): string {
  const name: unknown = JSON.parse(was)
  return typeof name === 'string'
    ? name
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, SHOWN_MAX)
    : ''
}

function letterTo({ was, name }: Renamed) {
  const old = shown(was)
  const account =
    old === ''
      ? { zh: '您的账号', en: 'Your account' }
      : { zh: `您的用户名“${old}”`, en: `Your name “${old}”` }
  return { mail: 'renamed' as const, values: { account, name } }
}

const reasonOf = ({ way }: Renamed, ways: Ways): string | undefined =>
  way !== null && ways[way] ? undefined : REASONS[way ?? 'none']

/**
 * Enqueues a letter to each user whom the import renamed, in the transaction that remembers it, so that a repeated or
 * resumed command sends none twice. Leaves out users whom no configured service reaches, so that a later command can.
 */
export async function sendLetters(
  ctx: Context,
  { dryRun, ways, print }: { dryRun: boolean; ways: Ways; print(line: string): void },
): Promise<number> {
  const before = await findImport(ctx.sql)
  if (!before?.closed_at && !dryRun)
    throw new Error(
      'close the import first (kith import thinksns --close), because a later run may change names',
    )
  let [last, queued, unreachable] = [0, 0, 0]
  for (;;) {
    const people = await transaction(ctx.sql, async (tx) => {
      const found = await listRenamed(tx, last)
      for (const person of found) {
        if (reasonOf(person, ways) || dryRun) continue
        await messageUser(ctx, tx, person.id, letterTo(person))
        await tx`insert into import_letters (user_id) values (${person.id})`
      }
      return found
    })
    for (const person of people) {
      const reason = reasonOf(person, ways)
      print(`${person.id}: ${shown(person.was)} → ${person.name}${reason ? ` (${reason})` : ''}`)
      if (reason) unreachable += 1
      else queued += 1
    }
    last = people.at(-1)?.id ?? last
    if (people.length < AT_ONCE) break
  }
  print(
    `${queued} letters ${dryRun ? 'to send' : 'queued: the running server sends them'}, ${unreachable} users cannot be reached.`,
  )
  return 0
}

export const importLetters = (env: Environment, { dryRun = false }: { dryRun?: boolean }): Promise<number> =>
  withContext(env, ({ ctx }) =>
    sendLetters(ctx, {
      dryRun,
      ways: { mail: ctx.config.smtpUrl !== undefined, sms: ctx.config.sms.order.length > 0 },
      print: (line) => void process.stdout.write(`${line}\n`),
    }),
  )
