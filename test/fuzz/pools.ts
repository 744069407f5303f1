import type { Dice } from '#test/fixtures/dice.ts'

type Id = string | number
/** Ids that one object of a reply names together, such as a comment, its feed and its author. */
export type Row = Record<string, Id>

/** Objects per kind. A later object replaces the oldest, because content is deleted meanwhile. */
const MOST_ROWS = 40
/** Keeps some objects that were not found, because another user may find them. */
const LEAST_ROWS = 8

const KIND_OF_SEGMENT: Record<string, string> = {
  songs: 'music',
  musics: 'music',
  music_specials: 'special',
  'music-specials': 'special',
  storage: 'storage',
  contributes: 'news',
  'address-blocks': 'block',
  'chat-messages': 'message',
  'currency-questions': 'question',
  'feed-comment-pinneds': 'pinned',
  'group-posts': 'post',
  'group-recommends': 'group',
  'question-answers': 'answer',
  'question-answer': 'answer',
  'question-watches': 'question',
  'question-topics': 'topic',
  'feed-topics': 'topic',
  'payment-differences': 'difference',
  'payment-refunds': 'refund',
  'user-post-collections': 'post',
  'user-group-posts': 'post',
  'user-groups': 'group',
  'user-famous': 'user',
  'user-recommends': 'user',
  members: 'member',
  'audit-members': 'member',
  'user-group-audit-members': 'member',
  cates: 'category',
  blacks: 'user',
  experts: 'user',
  followers: 'user',
  followings: 'user',
  latests: 'user',
  people: 'user',
  populars: 'user',
  'question-experts': 'user',
  recommends: 'user',
  collections: '',
}
const KIND_OF_FIELD: Record<string, string> = {
  target: 'user',
  target_user: 'user',
  reply_user: 'user',
  to_user: 'user',
  creator: 'user',
  creator_user: 'user',
  author: 'user',
  owner: 'user',
  sender: 'user',
  founder: 'user',
  member: 'user',
  people: 'user',
  cate: 'category',
  song: 'music',
  image: 'file',
  cover: 'file',
  video: 'file',
  paid_node: 'node',
  group_post: 'post',
  feed_topic: 'topic',
  question_topic: 'topic',
  uid: 'user',
  my_cate: 'category',
  more_cate: 'category',
}

/** Parameters whose name means another kind after each segment. */
const NAMED_BY_SEGMENT = new Set(['id', 'application', 'notice', 'node'])
/** Fields of replies that hold an id without saying so in their name. */
const HOLDS_ID = /(_id|_user|_no)$|^(user|md5|node|code|ability)$/
/** Ids that are text. */
export const TEXT_ID = /^(out_trade_no|im_group_id|md5)$/

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/(?<!new)s$/, '')

/** Gives one name to kinds that have several, and several names to kinds that share one. */
function within(kind: string, path: string): string {
  switch (kind) {
    case 'category':
      return path.includes('/news')
        ? 'news-category'
        : path.includes('/tag')
          ? 'tag-category'
          : 'group-category'
    case 'topic':
    case 'topicID':
      return path.includes('question') || path.includes('/qa/') ? 'question-topic' : 'topic'
    case 'report':
      return path.includes('/admin/') ? 'report' : 'group-report'
    case 'order':
      return path.includes('currency') ? 'points-order' : 'wallet-order'
    default:
      return kind
  }
}

/** Kind of the ids in a path parameter. */
export function kindOfParameter(path: string, name: string): string {
  const parts = path.split('/')
  const segment = parts[parts.indexOf(`{${name}}`) - 1] ?? ''
  const ofSegment = () => within(KIND_OF_SEGMENT[segment] ?? singular(segment), path)
  if (name === 'pinned') return /^(feed|news)-pinneds$/.test(segment) ? singular(segment) : 'pinned'
  if (name === 'node' && segment === 'purchases') return 'node'
  if (NAMED_BY_SEGMENT.has(name)) return ofSegment()
  if (name === 'target' || name === 'user_id') return 'user'
  if (name === 'category' && segment !== 'categories') return ofSegment()
  return within(name, path)
}

/** Kinds of the parameters of a path. Some paths name a comment without the group post that it is on. */
export function kindsOfPath(path: string): string[] {
  const kinds = [...path.matchAll(/\{(\w+)\}/g)].map((match) => kindOfParameter(path, match[1] ?? ''))
  return /(pinned|reports)\/comments\//.test(path) ? ['post', ...kinds] : kinds
}

/** Kind of the ids in a field of a body or a query, if it is known. */
export function kindOfField(path: string, name: string): string | undefined {
  const stem = singular(name.replace(/(_user)?_ids?$/, '').replace(/\[\]$/, ''))
  if (/^(id|ids|type|commentable|likeable|rewardable|resource)$/.test(stem)) return undefined
  return within(KIND_OF_FIELD[stem] ?? stem, path)
}

/** Kind of the `id` of objects in a reply: that of their field, or of the last segment of the path. */
function kindOfRows(path: string, field: string | undefined): string | undefined {
  const segments = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  const named =
    field === undefined || /^(data|pinneds|list|items|results)$/.test(field) ? segments.at(-1) : field
  if (named === undefined) return undefined
  if (field === undefined && path.endsWith('}')) {
    const name = /\{(\w+)\}$/.exec(path)?.[1] ?? ''
    return kindOfParameter(path, name)
  }
  const kind = KIND_OF_SEGMENT[named] ?? kindOfField(path, named)
  return kind && within(kind, path)
}

export type Pools = {
  learn(path: string, parameters: Row, body: unknown, reader: number | undefined): void
  add(row: Row): void
  /** Ids for the parameters of a path, from one object of a reply where one names them all. */
  fill(kinds: string[]): Row | undefined
  pick(kind: string): Id | undefined
  /** Drops an object that is not found any more. */
  forget(kind: string, id: Id): void
}

export function createPools(dice: Dice): Pools {
  const rows = new Map<string, Row[]>()

  function add(row: Row): void {
    for (const kind of Object.keys(row)) {
      const known = rows.get(kind) ?? []
      rows.set(kind, known)
      known.push(row)
      if (known.length > MOST_ROWS) known.shift()
    }
  }

  function learn(path: string, parameters: Row, body: unknown, reader: number | undefined): void {
    const visit = (value: unknown, field: string | undefined, depth: number, above: Row) => {
      if (depth > 4 || typeof value !== 'object' || value === null) return
      if (Array.isArray(value)) {
        for (const item of value.slice(0, 5)) visit(item, field, depth + 1, above)
        return
      }
      const row: Row = { ...above }
      for (const [name, item] of Object.entries(value)) {
        const inner = typeof item === 'object' && item !== null ? (item as { id?: unknown }).id : item
        const kind = name === 'id' ? kindOfRows(path, field) : kindOfField(path, name)
        const isNamed = name === 'id' || typeof item === 'object' || HOLDS_ID.test(name)
        if (kind && isNamed && isId(inner)) row[kind] ??= inner
      }
      if (isId((value as { id?: unknown }).id)) {
        const kind = kindOfRows(path, field)
        if (kind) row[kind] = (value as { id: Id }).id
      }
      if (Object.keys(row).length > 0) add(reader === undefined ? row : { ...row, reader })
      for (const [name, item] of Object.entries(value)) visit(item, name, depth + 1, above)
    }
    visit(body, undefined, 0, parameters)
  }

  return {
    add,
    learn,
    fill(kinds) {
      const filled: Row = {}
      for (const kind of kinds.toReversed()) {
        if (filled[kind] !== undefined) continue
        const candidates = rows.get(kind) ?? []
        if (candidates.length === 0) return undefined
        const count = (row: Row) => kinds.filter((each) => row[each] !== undefined).length
        const most = Math.max(...candidates.map(count))
        const best = candidates.filter((row) => count(row) === most)
        const row = dice.pick(dice.roll() < 0.8 ? best : candidates)
        for (const [name, id] of Object.entries(row)) filled[name] ??= id
      }
      return filled
    },
    pick(kind) {
      const known = rows.get(kind)
      return known?.length ? dice.pick(known)[kind] : undefined
    },
    forget(kind, id) {
      const left = (rows.get(kind) ?? []).filter((row) => row[kind] !== id)
      if (left.length >= LEAST_ROWS) rows.set(kind, left)
    },
  }
}

const isId = (value: unknown): value is Id =>
  (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
  (typeof value === 'string' && value.length <= 64 && /^[\w-]+$/.test(value))
