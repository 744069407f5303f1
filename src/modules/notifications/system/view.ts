import type { Language, Text } from '#platform/errors.ts'
import type { NotificationRow } from '../queries.ts'
import type { SystemNotice } from './fields.ts'
import { type Field, fittedField, isField } from './fields.ts'
import type { Thing, Wanted } from './queries.ts'
import { systemNotice } from './types.ts'

/** Stands for a title or text that is gone, or no longer for the reader to see. */
const GONE: Text = { en: '[no longer available]', zh: '[内容已不可见]' }

/** What was found about a row besides what is stored with it. */
export type Found = { things: Partial<Record<Thing['kind'], Thing>>; unit: string }

type Data = Record<string, unknown>
type Reference = { type: string; id: number }

const partOf = (data: Data, name: string): Data =>
  typeof data[name] === 'object' && data[name] !== null ? (data[name] as Data) : {}

const idOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0)

/** The id of a thing of a kind: as it is named in the data, else what the notification is about. */
const idAbout = (data: Data, name: string, type: string): number => {
  const resource = partOf(data, 'resource')
  return idOf(partOf(data, name).id) || (resource.type === type ? idOf(resource.id) : 0)
}

/** What has to be looked up for a row, because it was stored without. */
export function wantedOf(row: NotificationRow, reader: number): Wanted[] {
  const { data } = row
  const fields = systemNotice(data.type)?.fields
  if (row.type !== 'system' || !fields) return []
  const wanted: Wanted[] = []
  const want = (kind: Wanted['kind'], id: number) => id > 0 && wanted.push({ kind, reader, id })
  const lacks = (name: Field, key: string) => name in fields && partOf(data, name)[key] === undefined
  if (lacks('news', 'title')) want('news', idAbout(data, 'news', 'news'))
  if (lacks('answer', 'question_id') && !('question' in fields))
    want('answer', idAbout(data, 'answer', 'question-answers'))
  const lacksPost = lacks('post', 'title') || ('group_id' in fields && data.group_id === undefined)
  if ((lacksPost || lacks('group', 'name')) && row.cause_type === 'group-reports')
    want('report', row.cause_id)
  else if (lacksPost) want('post', idAbout(data, 'post', 'group-posts'))
  if (lacks('comment', 'contents')) want('comment', idAbout(data, 'comment', 'comments'))
  return wanted
}

type Source = { data: Data; sender: { id: number; name: string }; gone: string } & Found

/** How a field is made where a row lacks it, or a part of it. */
const FILLED: Partial<Record<Field, (source: Source) => unknown>> = {
  feed_id: ({ data }) => idAbout(data, 'feed', 'feeds'),
  feed: ({ data }) => ({ id: idAbout(data, 'feed', 'feeds') }),
  unit: ({ unit }) => unit,
  // Where the data names somebody, it is not who did it.
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
  answer: ({ data, things }) => ({
    id: idAbout(data, 'answer', 'question-answers'),
    question_id: things.answer?.question_id ?? (idOf(partOf(data, 'question').id) || undefined),
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

/** What is stored wins; only what an object lacks is taken from what was found. */
function merged(stored: unknown, filled: unknown): unknown {
  if (typeof filled !== 'object' || filled === null) return stored ?? filled
  const kept = Object.entries(typeof stored === 'object' ? (stored ?? {}) : {}).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return { ...filled, ...Object.fromEntries(kept) }
}

/** The state as clients of this type spell it. */
function stateOf({ shown, refused }: SystemNotice, state: unknown): unknown {
  if (shown?.state) return shown.state
  return state === 'rejected' || state === 'reject' ? (refused ?? 'rejected') : state
}

/** The data of a system notification as its reader gets it: the type's name and every field of notifications-9. */
export function systemData(
  data: Data & { resource: Reference },
  sender: { id: number; name: string },
  found: Found,
  language: Language,
): Data {
  const notice = systemNotice(data.type)
  const source = { data, sender, gone: GONE[language], ...found }
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
  if (!notice) return shown
  const state = stateOf(notice, shown.state)
  return { ...shown, type: notice.shown?.type ?? data.type, ...(state === undefined ? {} : { state }) }
}
