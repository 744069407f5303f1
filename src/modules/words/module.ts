import { escapeLike, nameKey } from '#lib/text.ts'
import { withWireTimes } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Row, type Tables, when } from '#platform/database'
import {
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import type { Module } from '../../module.ts'
import {
  addWord,
  changeWord,
  noSuchWord,
  removeWord,
  WORD_TYPES,
  type WordType,
  wordTaken,
} from './service.ts'

const WordRecord = Shared('SensitiveWord', {
  id: Type.Integer(),
  word: Type.String(),
  type: OneOf(WORD_TYPES),
  replace: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
})

const WordQuery = Type.Object({
  ...listingQuery(['id', 'word']),
  type: Type.Optional(OneOf(WORD_TYPES)),
})
type WordQuery = Static<typeof WordQuery>

const NewWord = Shared('NewSensitiveWord', {
  word: Text(100),
  type: OneOf(WORD_TYPES),
  replace: Type.Optional(Nullable(Text(100))),
})

export type WordRow = Row<'sensitive_words', 'id' | 'word' | 'created_at' | 'updated_at'> & {
  type: WordType
  replace: Tables['sensitive_words']['replacement']
}

const columns = (sql: Db) => sql`id, word, type, replacement as "replace", created_at, updated_at`

function listWordRecords(sql: Db, query: WordQuery) {
  const key = nameKey(query.q ?? '')
  const where = sql`where true ${ifGiven(sql, query.type, (type) => sql`and type = ${type}`)}
    ${when(sql, key !== '', () => sql`and word_key like ${`%${escapeLike(key)}%`}`)}`
  const by = query.sort === 'word' ? sql`word_key` : undefined
  return pageOf<WordRow>(
    sql,
    sql`
      select ${columns(sql)} from sensitive_words ${where}
      ${listingClause(sql, query, { id: sql`id`, by, from: sql`sensitive_words` })}`,
    sql`select count(*)::int as total from sensitive_words ${where}`,
  )
}

async function findWordRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<WordRow[]>`
    select ${columns(sql)} from sensitive_words where id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

export function adminWordRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/sensitive-words',
    tag: 'Admin: moderation',
    ability: 'admin: sensitive words',
    subject: 'sensitive-words',
    entity: 'SensitiveWord',
    noun: 'a sensitive word',
    nouns: 'sensitive words',
    item: WordRecord,
    query: WordQuery,
    body: NewWord,
    missing: noSuchWord,
    errors: [wordTaken],
    list: listWordRecords,
    find: findWordRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _, body) => addWord(ctx, tx, body),
    change: (tx, _, { id }, body) => changeWord(ctx, tx, id, body),
    remove: (tx, { id }) => removeWord(ctx, tx, id),
  })
}

export const module: Module = {
  routes: () => [adminWordRoutes],
}
