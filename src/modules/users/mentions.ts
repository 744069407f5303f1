import { EXCERPT_LENGTH } from '#contracts/content.ts'
import { parseText, type TextFormat } from '#lib/markup/parse.ts'
import {
  findCandidates,
  hasSign,
  linkReferences,
  meantRows,
  type References,
} from '#lib/markup/references.ts'
import { cutText, nameKey } from '#lib/text.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { addTextSource, OneOf, RawText, routesOn, type Server, Shared, TextNodes } from '#platform/http'
import { contactRefused, refusesContact } from './relations/contact-rules.ts'
import { hasBlocked } from './relations/queries.ts'

type ContentReference = { type: string; id: number }
/**
 * `key` is the folded name in the text. `blocks` is true if the user blocks the author, and `refuses` if the user's rule
 * refuses a mention by the author (relations-7).
 */
export type Mentioned = { id: number; key: string; name: string; blocks: boolean; refuses: boolean }

const MENTIONS_MAX = 50

/** True for a text that may mention a user. */
export const mayMention = (text: string): boolean => hasSign(text, '@')

/** Finds enabled users by id or name key. */
const findPeople = (sql: Db, viewerId: number, ids: number[], keys: string[]) => sql<Mentioned[]>`
  select u.id, u.name_key as key, u.name, ${hasBlocked(sql, sql`u.id`, viewerId)} as blocks,
    ${refusesContact(sql, sql`u.id`, viewerId, 'mentions')} as refuses
  from users u where u.deleted_at is null and u.id = any(${ids})
  union all
  select u.id, u.name_key, u.name, ${hasBlocked(sql, sql`u.id`, viewerId)},
    ${refusesContact(sql, sql`u.id`, viewerId, 'mentions')}
  from users u where u.deleted_at is null and u.name_key = any(${keys}) and u.id <> all(${ids})`

/**
 * Finds the users whom a text mentions, at most 50, and the enabled users among `ids`. Of several names after
 * one sign, the longest existing name counts.
 */
export async function findMentioned(
  sql: Db,
  authorId: number,
  text: string,
  format: TextFormat,
  ids: number[] = [],
): Promise<{ people: Mentioned[]; mentioned: Mentioned[] }> {
  const lists = mayMention(text) ? findCandidates(parseText(text, format), '@', MENTIONS_MAX) : []
  const keys = [...new Set(lists.flat())]
  if (ids.length + keys.length === 0) return { people: [], mentioned: [] }
  const people = await findPeople(sql, authorId, ids, keys)
  const mentioned = meantRows(lists, people)
  const wanted = new Set(ids)
  return { people: people.filter((each) => wanted.has(each.id) || mentioned.includes(each)), mentioned }
}

export async function saveMentions(
  sql: Db,
  { type, id }: ContentReference,
  mentioned: readonly Mentioned[],
): Promise<void> {
  if (mentioned.length === 0) return
  await sql`
    insert into mentions (content_type, content_id, name_key, user_id)
    select ${type}, ${id}, key, user_id
    from unnest(${mentioned.map(({ key }) => key)}::text[], ${mentioned.map((each) => each.id)}::bigint[]) as m (key, user_id)
    on conflict on constraint mentions_pkey do update set user_id = excluded.user_id`
}

/** Deletes the mentions in contents. Returns the ids of the mentioned users. */
export async function deleteMentions(sql: Db, type: string, ids: number[]): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    delete from mentions where content_type = ${type} and content_id = any(${ids}) returning user_id`
  return rows.map(({ user_id }) => user_id)
}

export const eraseMentions = (tx: Tx, userId: number) => tx`delete from mentions where user_id = ${userId}`

export type MentionOptions = {
  format?: TextFormat
  /** Part of the text that every reader may see. Default: the text. */
  excerpt?: string
  /** Sender of an anonymous text. Default: the author. */
  sender?: { senderId: number; hiddenSenderId?: number }
  /** Returns the mentioned users who may read the content. Default: all. */
  readers?(ids: number[]): Promise<number[]>
  hidesRecipients?: boolean
}

/** Notifies users of a mention in a content. */
async function notifyMentioned(
  tx: Tx,
  authorId: number,
  content: ContentReference,
  ids: number[],
  { excerpt = '', sender = { senderId: authorId }, readers, hidesRecipients }: MentionOptions,
): Promise<void> {
  if (ids.length === 0) return
  await notify(tx, {
    type: 'at',
    recipients: readers ? await readers(ids) : ids,
    hidesRecipients,
    ...sender,
    cause: content,
    data: { resource: content, contents: cutText(excerpt, EXCERPT_LENGTH) },
  })
}

/**
 * Stores the mentions in a new or edited text, and notifies users who were not mentioned before. Throws 403 if
 * a mentioned user blocks the author or refuses mentions. With `isQuiet`, sends no notification.
 */
export async function recordMentions(
  tx: Tx,
  authorId: number,
  content: ContentReference,
  text: string,
  {
    isEdit = false,
    isQuiet = false,
    ...options
  }: MentionOptions & { isEdit?: boolean; isQuiet?: boolean } = {},
): Promise<void> {
  const known = isEdit ? await deleteMentions(tx, content.type, [content.id]) : []
  const { mentioned } = await findMentioned(tx, authorId, text, options.format ?? 'plain')
  const added = mentioned.filter(({ id }) => !known.includes(id))
  if (added.some(({ blocks }) => blocks)) throw blocked()
  if (added.some(({ refuses }) => refuses)) throw contactRefused()
  await saveMentions(tx, content, mentioned)
  if (isQuiet) return
  const ids = added.map(({ id }) => id)
  await notifyMentioned(tx, authorId, content, ids, { excerpt: text, ...options })
}

/** Notifies the users mentioned in content that was stored earlier, such as an article after its review. */
export async function notifyStoredMentions(
  tx: Tx,
  authorId: number,
  content: ContentReference,
  options: MentionOptions,
): Promise<void> {
  const rows = await tx<{ id: number }[]>`
    select distinct user_id as id from mentions where content_type = ${content.type} and content_id = ${content.id}`
  const ids = rows.map(({ id }) => id)
  await notifyMentioned(tx, authorId, content, ids, options)
}

/**
 * Finds the stored mentions of texts with the current names of the users. Texts of earlier versions and imports
 * have no stored mentions, so that names between soft hyphens count as current names.
 */
async function findReferences(
  sql: Db,
  texts: { type: string; id: number; names: string[] }[],
): Promise<References[]> {
  const keys = [...new Set(texts.flatMap(({ names }) => names.map(nameKey)))]
  const rows = await sql<{ type: string | null; content: number; key: string; id: number; name: string }[]>`
    select m.content_type as type, m.content_id as content, m.name_key as key, u.id, u.name
    from unnest(${texts.map(({ type }) => type)}::text[], ${texts.map(({ id }) => id)}::bigint[]) as t (type, id)
    join mentions m on m.content_type = t.type and m.content_id = t.id
    join users u on u.id = m.user_id and u.deleted_at is null
    union all
    select null, 0, u.name_key, u.id, u.name from users u
    where u.name_key = any(${keys}) and u.deleted_at is null`
  const current = new Map(rows.filter(({ type }) => type === null).map((row) => [row.key, row]))
  const stored = Map.groupBy(rows, ({ type, content }) => `${type} ${content}`)
  return texts.map(
    ({ type, id, names }) =>
      new Map(
        [
          ...names.flatMap((name) => current.get(nameKey(name)) ?? []),
          ...(stored.get(`${type} ${id}`) ?? []),
        ].map((row) => [row.key, { id: row.id, name: row.name }]),
      ),
  )
}

const PREVIEWED_MAX = 100_000

const NewPreview = Shared('NewTextPreview', {
  text: RawText(PREVIEWED_MAX),
  format: OneOf(['plain', 'markdown'] as const, {
    description:
      '`plain` for feeds, comments and messages, `markdown` for articles, questions, answers and posts',
  }),
})

export function mentionRoutes(server: Server, ctx: Context) {
  addTextSource(ctx, 'users', findReferences)
  const route = routesOn(server, ctx, { tag: 'Users' })

  route('POST /texts/preview', {
    operationId: 'previewText',
    summary: 'Read a text into the tree that readers would see',
    access: 'user',
    whileSilenced: true,
    body: NewPreview,
    reply: { 200: Shared('TextPreview', { tree: TextNodes }) },
    async handler({ viewer, body: { text, format } }) {
      const { mentioned } = await findMentioned(ctx.sql, viewer.id, text, format)
      const users = new Map(mentioned.map(({ key, id, name }) => [key, { id, name }]))
      return { tree: linkReferences(parseText(text, format), { users, topics: new Map() }) }
    },
  })
}
