import { plainText } from '#lib/markup/parse.ts'
import type { Db } from '#platform/database'
import type { Language, Text } from '#platform/errors.ts'
import type { NotificationRow } from '../queries.ts'
import { AS_TEXT, type Field, fittedField, isField, type SystemNotice } from './fields.ts'
import { systemNotice } from './notices.ts'

/**
 * Content that a notification names. Fields are null when the content is deleted or hidden from the
 * recipient.
 */
type Thing = {
  kind: 'news' | 'answer' | 'post' | 'comment' | 'report'
  reader: number
  id: number
  text: string | null
  question_id: number | null
  group_id: number | null
  group_name: string | null
  post_id: number | null
  post_title: string | null
}

type Wanted = Pick<Thing, 'kind' | 'reader' | 'id'>

/** Reads content of all kinds in one statement. Omits titles and texts that the recipient may not read. */
export function findThings(sql: Db, wanted: Wanted[]): Promise<Thing[]> {
  const of = (kind: Wanted['kind']) => {
    const found = wanted.filter((each) => each.kind === kind)
    return sql`unnest(${found.map(({ reader }) => reader)}::bigint[], ${found.map(({ id }) => id)}::bigint[]) as w (reader, id)`
  }
  const readable = sql`(g.deleted_at is null and ((g.audit = 1 and g.mode = 'public') or coalesce((
    select m.audit = 1 and not m.disabled from group_members m where m.group_id = g.id and m.user_id = w.reader
  ), false)))`
  const groupName = sql`case when g.deleted_at is null then g.name end`
  return sql<Thing[]>`
    select 'news' as kind, w.reader, n.id, n.title as text, null::bigint as question_id, null::bigint as group_id,
      null as group_name, null::bigint as post_id, null as post_title
    from ${of('news')} join news n on n.id = w.id
    where n.audit_status = 0 or n.user_id = w.reader
    union all
    select 'answer', w.reader, a.id,
      case when w.reader in (a.user_id, q.user_id) then coalesce(nullif(a.text_body, ''), a.body) end,
      a.question_id, null, null, null, null
    from ${of('answer')} join answers a on a.id = w.id join questions q on q.id = a.question_id
    union all
    select 'post', w.reader, p.id, case when ${readable} or p.user_id = w.reader then p.title end, null,
      g.id, ${groupName}, p.id, null
    from ${of('post')} join group_posts p on p.id = w.id join groups g on g.id = p.group_id
    union all
    select 'comment', w.reader, c.id, case when ${readable} or c.user_id = w.reader then c.body end, null,
      g.id, ${groupName}, p.id, case when ${readable} or p.user_id = w.reader then p.title end
    from ${of('comment')} join comments c on c.id = w.id and c.commentable_type = 'group-posts'
    join group_posts p on p.id = c.commentable_id join groups g on g.id = p.group_id
    union all
    select 'report', w.reader, r.id, null, null, g.id, ${groupName}, r.post_id,
      case when ${readable} or p.user_id = w.reader then p.title end
    from ${of('report')} join group_reports r on r.id = w.id join groups g on g.id = r.group_id
    left join group_posts p on p.id = r.post_id`
}

/** Displayed instead of a title or text that is deleted or hidden from the recipient. */
const GONE: Text = { en: '[no longer available]', zh: '[内容已不可见]' }

const ANSWER_MAX = 100

export type Found = { things: Partial<Record<Thing['kind'], Thing>>; unit: (language: Language) => string }

type Data = Record<string, unknown>
type Reference = { type: string; id: number }

const partOf = (data: Data, name: string): Data =>
  typeof data[name] === 'object' && data[name] !== null ? (data[name] as Data) : {}

const idOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0)

const idAbout = (data: Data, name: string, type: string): number => {
  const resource = partOf(data, 'resource')
  return idOf(partOf(data, name).id) || (resource.type === type ? idOf(resource.id) : 0)
}

export function wantedOf(row: NotificationRow, reader: number): Wanted[] {
  const { data } = row
  const fields = systemNotice(data.type)?.fields
  if (row.type !== 'system' || !fields) return []
  const wanted: Wanted[] = []
  const want = (kind: Wanted['kind'], id: number) => id > 0 && wanted.push({ kind, reader, id })
  const lacks = (name: Field, key: string) => name in fields && partOf(data, name)[key] === undefined
  if (lacks('news', 'title')) want('news', idAbout(data, 'news', 'news'))
  if (lacks('answer', 'body')) want('answer', idAbout(data, 'answer', 'question-answers'))
  const lacksPost = lacks('post', 'title') || ('group_id' in fields && data.group_id === undefined)
  if ((lacksPost || lacks('group', 'name')) && row.cause_type === 'group-reports')
    want('report', row.cause_id)
  else if (lacksPost) want('post', idAbout(data, 'post', 'group-posts'))
  if (lacks('comment', 'contents')) want('comment', idAbout(data, 'comment', 'comments'))
  return wanted
}

type Source = {
  data: Data
  sender: { id: number; name: string }
  gone: string
  unit: string
  things: Found['things']
}

/** For each field that stored rows of older versions may lack, a function that returns the field. */
const FILLED: Partial<Record<Field, (source: Source) => unknown>> = {
  feed_id: ({ data }) => idAbout(data, 'feed', 'feeds'),
  feed: ({ data }) => ({ id: idAbout(data, 'feed', 'feeds') }),
  unit: ({ unit }) => unit,
  // Returns the sender only if the stored data names no user.
  user: ({ data, sender }) => (idOf(partOf(data, 'user').id) > 0 ? {} : sender),
  news: ({ data, things, gone }) => ({
    id: idAbout(data, 'news', 'news'),
    title: things.news?.text ?? gone,
  }),
  comment: ({ data, things, gone }) => ({
    id: idAbout(data, 'comment', 'comments'),
    contents: things.comment?.text ?? data.subject ?? gone,
  }),
  question: ({ data, gone }) => ({ id: idAbout(data, 'question', 'questions'), subject: gone }),
  answer: ({ data, things, gone }) => ({
    id: idAbout(data, 'answer', 'question-answers'),
    question_id: things.answer?.question_id ?? (idOf(partOf(data, 'question').id) || undefined),
    body: plainText(things.answer?.text ?? gone, ANSWER_MAX),
  }),
  topic: ({ data, gone }) => ({
    id: idAbout(data, 'topic', 'feed-topics') || idAbout(data, 'topic', 'question-topics'),
    name: partOf(data, 'topic_application').name ?? gone,
  }),
  topic_application: ({ gone }) => ({ id: 0, name: gone, mark: null }),
  application: ({ data, gone }) => ({
    question_id: idAbout(data, 'question', 'questions'),
    question: { subject: partOf(data, 'question').subject ?? gone },
  }),
  group: ({ data, things: { report, comment, post }, gone }) => {
    const known = report ?? comment ?? post
    return { id: idAbout(data, 'group', 'groups') || (known?.group_id ?? 0), name: known?.group_name ?? gone }
  },
  post: ({ data, things: { report, comment, post }, gone }) => {
    const about = partOf(data, 'resource').type === 'group-posts' ? data.subject : undefined
    return {
      id: idAbout(data, 'post', 'group-posts') || (report?.post_id ?? comment?.post_id ?? 0),
      title: report?.post_title ?? comment?.post_title ?? post?.text ?? about ?? gone,
    }
  },
  group_id: ({ data, things }) => idOf(partOf(data, 'group').id) || (things.post?.group_id ?? 0),
}

function merged(stored: unknown, filled: unknown): unknown {
  if (typeof filled !== 'object' || filled === null) return stored ?? filled
  const kept = Object.entries(typeof stored === 'object' ? (stored ?? {}) : {}).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return { ...filled, ...Object.fromEntries(kept) }
}

const shownAs = ({ shown }: SystemNotice, state: unknown): SystemNotice['shown'] =>
  shown && (shown.states?.includes(String(state)) ?? true) ? shown : undefined

export function systemData(
  data: Data & { resource: Reference },
  sender: { id: number; name: string },
  { things, unit }: Found,
  language: Language,
): Data {
  const notice = systemNotice(data.type)
  const source = { data, sender, gone: GONE[language], unit: unit(language), things }
  const shown: Data = {}
  for (const [name, value] of Object.entries(data))
    if (!isField(name)) shown[name] = value
    else {
      const fits = fittedField(name, value)
      if (fits !== undefined) shown[name] = fits
    }
  for (const name of Object.keys(notice?.fields ?? {}).filter(isField)) {
    const value = fittedField(name, merged(data[name], FILLED[name]?.(source)))
    if (value !== undefined) shown[name] = value
  }
  if (!notice) return { ...shown, kind: data.type }
  const decided = shown.state === 'reject' ? 'rejected' : shown.state
  const as = shownAs(notice, decided)
  const state = as?.state ?? decided
  const type = as?.type ?? data.type
  // Deletes `subject`, because Android clients would display it instead of the text.
  if (type === AS_TEXT.type) delete shown.subject
  return {
    ...shown,
    kind: data.type,
    type,
    ...(state === undefined ? {} : { state }),
  }
}
