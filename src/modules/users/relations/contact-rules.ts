import type { Context } from '#platform/context.ts'
import type { Db, Fragment } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Empty, OneOf, routesOn, type Server, Shared, type Static, Type } from '#platform/http'
import { isFollowing } from './queries.ts'

/** The check of a rule refuses everybody for another value, which a later version may store. */
const AUDIENCES = ['everybody', 'followed', 'nobody'] as const
const KINDS = ['comments', 'mentions', 'quotes', 'messages'] as const

/** Kind of an action towards another member. */
export type ContactKind = (typeof KINDS)[number]

const Audience = () => OneOf(AUDIENCES)

const ContactRules = Shared('ContactRules', {
  comments: Audience(),
  mentions: Audience(),
  quotes: Audience(),
  messages: Audience(),
})
type ContactRules = Static<typeof ContactRules>
const ContactRulesPatch = Type.Partial(ContactRules, { title: 'ContactRulesPatch' })

export const contactRefused = apiError(
  403,
  'contact_refused',
  'This person does not accept this from everybody.',
  '对方设置了互动权限，你无法进行此操作。',
)

/** True if the rule of `owner` refuses `actorId` this kind of contact (relations-7). */
export const refusesContact = (sql: Db, owner: Fragment, actorId: number, kind: ContactKind): Fragment => sql`
  coalesce((
    select case r.${sql(kind)} when 'everybody' then false
      when 'followed' then not ${isFollowing(sql, sql`r.user_id`, sql`${actorId}`)} else true end
    from contact_rules r where r.user_id = ${owner} and r.user_id <> ${actorId}
  ), false)`

export async function isContactRefused(
  sql: Db,
  actorId: number,
  userId: number,
  kind: ContactKind,
): Promise<boolean> {
  const [row] = await sql<[{ refused: boolean }]>`
    select ${refusesContact(sql, sql`${userId}`, actorId, kind)} as refused`
  return row.refused
}

/** Throws 403 if the user's rule refuses the actor. */
export async function requireContact(
  sql: Db,
  actorId: number,
  userId: number,
  kind: ContactKind,
): Promise<void> {
  if (await isContactRefused(sql, actorId, userId, kind)) throw contactRefused()
}

async function readRules(sql: Db, userId: number): Promise<ContactRules> {
  const [row] = await sql<ContactRules[]>`
    select comments, mentions, quotes, messages from contact_rules where user_id = ${userId}`
  return row ?? { comments: 'everybody', mentions: 'everybody', quotes: 'everybody', messages: 'everybody' }
}

const updateRules = (
  sql: Db,
  userId: number,
  { comments, mentions, quotes, messages }: Partial<ContactRules>,
) => sql`
  insert into contact_rules as r (user_id, comments, mentions, quotes, messages)
  values (${userId}, ${comments ?? 'everybody'}, ${mentions ?? 'everybody'}, ${quotes ?? 'everybody'},
    ${messages ?? 'everybody'})
  on conflict (user_id) do update set comments = coalesce(${comments ?? null}, r.comments),
    mentions = coalesce(${mentions ?? null}, r.mentions), quotes = coalesce(${quotes ?? null}, r.quotes),
    messages = coalesce(${messages ?? null}, r.messages), updated_at = excluded.updated_at`

export function contactRuleRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('GET /user/contact-rules', {
    operationId: 'getContactRules',
    summary: 'Read who may comment on, mention, quote and write to me',
    access: 'user',
    reply: { 200: ContactRules },
    handler: ({ viewer }) => readRules(sql, viewer.id),
  })

  route('PATCH /user/contact-rules', {
    operationId: 'updateContactRules',
    summary: 'Change who may comment on, mention, quote and write to me',
    whileSilenced: true,
    access: 'user',
    body: ContactRulesPatch,
    reply: { 204: Empty },
    handler: async ({ viewer, body }) => void (await updateRules(sql, viewer.id, body)),
  })
}
