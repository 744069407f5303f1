import { isTimeZone } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { Flag, Nullable, OneOf, routesOn, type Server, Shared, type Static, Text, Type } from '#platform/http'

const TYPES = ['at', 'comment', 'like', 'follow', 'system', 'chat'] as const
const Clock = Text(5, { pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'HH:MM' })

const PushPreferences = Shared('PushPreferences', {
  off: Type.Array(OneOf(TYPES), { maxItems: TYPES.length, description: 'Types that are not pushed' }),
  text: Flag(),
  quiet: Nullable(Shared('QuietHours', { from: Clock, until: Clock, time_zone: Text(64, { minLength: 1 }) })),
})
export type PushPreferences = Static<typeof PushPreferences>

const STANDARD: PushPreferences = { off: [], text: true, quiet: null }

type PreferenceRow = {
  user_id: number
  off_types: string[]
  shows_text: boolean
  quiet_from: number | null
  quiet_until: number | null
  quiet_zone: string | null
}

const clockOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

export async function findPreferences(sql: Db, users: number[]): Promise<Map<number, PushPreferences>> {
  const rows = await sql<PreferenceRow[]>`
    select user_id, off_types, shows_text, quiet_from, quiet_until, quiet_zone from push_preferences
    where user_id = any(${users})`
  return new Map(
    rows.map((row) => [
      row.user_id,
      {
        off: row.off_types as PushPreferences['off'],
        text: row.shows_text,
        quiet:
          row.quiet_zone === null
            ? null
            : {
                from: clockOf(row.quiet_from ?? 0),
                until: clockOf(row.quiet_until ?? 0),
                time_zone: row.quiet_zone,
              },
      },
    ]),
  )
}

async function savePreferences(sql: Db, userId: number, { off, text, quiet }: PushPreferences) {
  await sql`
    insert into push_preferences (user_id, off_types, shows_text, quiet_from, quiet_until, quiet_zone)
    values (${userId}, ${[...new Set(off)]}::text[], ${text}, ${quiet ? minutesOf(quiet.from) : null},
      ${quiet ? minutesOf(quiet.until) : null}, ${quiet?.time_zone ?? null})
    on conflict (user_id) do update set off_types = excluded.off_types, shows_text = excluded.shows_text,
      quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, quiet_zone = excluded.quiet_zone,
      updated_at = excluded.updated_at`
}

export function isQuiet({ quiet }: PushPreferences, at: Date): boolean {
  if (!quiet) return false
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: quiet.time_zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at)
  const [now, from, until] = [minutesOf(parts), minutesOf(quiet.from), minutesOf(quiet.until)]
  return from <= until ? now >= from && now < until : now >= from || now < until
}

export function pushPreferenceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/push/preferences', {
    operationId: 'getPushPreferences',
    summary: 'Read which notifications my devices receive',
    access: 'user',
    reply: { 200: PushPreferences },
    handler: async ({ viewer }) => (await findPreferences(sql, [viewer.id])).get(viewer.id) ?? STANDARD,
  })

  route('PUT /user/push/preferences', {
    operationId: 'setPushPreferences',
    summary: 'Set which notifications my devices receive, and when',
    whileSilenced: true,
    access: 'user',
    body: PushPreferences,
    reply: { 200: PushPreferences },
    handler: async ({ viewer, body }) => {
      if (body.quiet && !isTimeZone(body.quiet.time_zone))
        throw invalidField('quiet.time_zone', { en: 'This time zone does not exist.', zh: '时区不存在。' })
      await savePreferences(sql, viewer.id, body)
      return body
    },
  })
}
