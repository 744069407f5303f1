import { messageUser } from '#modules/accounts/index.ts'
import { smsSender } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { type Environment, withContext } from '../../src/commands/context.ts'
import { findImport } from './database/state.ts'

const AT_ONCE = 200
const SHOWN_MAX = 100

type Renamed = { id: number; was: string; name: string; channel: 'mail' | 'text' | null }
type Services = { mail: boolean; text: boolean }

const servicesOf = (ctx: Context): Services => ({
  mail: ctx.config.smtpUrl !== undefined,
  text: Object.keys(smsSender(ctx).services).length > 0,
})

/** Finds users who still have the name that the import gave them, and have received no letter. */
const listRenamed = (tx: Tx, after: number) => tx<Renamed[]>`
  select u.id, n.was, u.name,
    case when u.email is not null then 'mail' when u.phone is not null then 'text' end as channel
  from (
    select distinct on (row_key::bigint) row_key::bigint as id, was, became from import_notes
    where source_table = 'users' and source_column = 'name' and outcome = 'mended' and row_key ~ '^[0-9]{1,15}$'
    order by row_key::bigint, id desc
  ) n
  join users u on u.id = n.id
  where u.id > ${after} and u.deleted_at is null and n.became::jsonb #>> '{}' = u.name
    and not exists (select from import_letters l where l.user_id = u.id)
  order by u.id limit ${AT_ONCE}`

/** PostgreSQL cannot read the JSON of a name with NUL, which the source may have. */
const shown = (was: string) =>
  String(JSON.parse(was) ?? '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX)

function obstacleOf({ channel }: Renamed, services: Services): string | undefined {
  if (channel === null) return 'no e-mail address or phone number'
  if (services[channel]) return undefined
  return channel === 'mail'
    ? 'mail is not configured: SMTP_URL'
    : 'text messages are not configured: docs/sms.md'
}

function letterTo({ was, name }: Renamed) {
  const old = shown(was)
  const account =
    old === ''
      ? { zh: '您的账号', en: 'Your account' }
      : { zh: `您的用户名“${old}”`, en: `Your name “${old}”` }
  return { mail: 'renamed' as const, values: { account, name } }
}

/**
 * Enqueues a letter to each user whom the import renamed, in the transaction that remembers it, so that a repeated or
 * resumed command sends none twice.
 */
export async function sendLetters(
  ctx: Context,
  {
    dryRun,
    print,
    services = servicesOf(ctx),
  }: { dryRun: boolean; print(line: string): void; services?: Services },
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
        if (dryRun || obstacleOf(person, services) !== undefined) continue
        await messageUser(ctx, tx, person.id, letterTo(person))
        await tx`insert into import_letters (user_id) values (${person.id})`
      }
      return found
    })
    for (const person of people) {
      const obstacle = obstacleOf(person, services)
      print(`${person.id}: ${shown(person.was)} → ${person.name}${obstacle === undefined ? '' : ` (${obstacle})`}`)
      if (obstacle === undefined) queued += 1
      else unreachable += 1
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
    sendLetters(ctx, { dryRun, print: (line) => void process.stdout.write(`${line}\n`) }),
  )
