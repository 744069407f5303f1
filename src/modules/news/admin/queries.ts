import { escapeLike, nameKey } from '#lib/text.ts'
import {
  type Db,
  ifGiven,
  listingClause,
  listingOrder,
  type Row,
  type Tables,
  when,
} from '#platform/database'
import {
  Flag,
  Id,
  IdList,
  Int,
  listingQuery,
  MemberText,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { type NewsDeletionRow, titleContains } from '../queries.ts'
import { NewsTag, STATUS } from '../schema.ts'

export const NewsCategoryRecord = Shared('NewsCategoryRecord', {
  id: Type.Integer(),
  name: Type.String(),
  rank: Type.Integer(),
  news_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export const NewsCategoryQuery = Type.Object(listingQuery(['rank', 'id', 'name']))
export type NewsCategoryQuery = Static<typeof NewsCategoryQuery>

export const NewNewsCategory = Shared('NewNewsCategory', {
  name: Text(50),
  rank: Type.Optional(Int(-1_000_000, 1_000_000)),
})

export const ArticleRecord = Shared('ArticleRecord', {
  id: Type.Integer(),
  title: Type.String(),
  subject: Type.String(),
  from: Nullable(Type.String()),
  author: Nullable(Type.String()),
  user_id: Type.Integer(),
  category_id: Type.Integer(),
  category: Type.String(),
  image: Nullable(Type.Integer()),
  audit_status: Type.Integer(),
  audit_count: Type.Integer(),
  mark: Nullable(Type.String()),
  contribute_amount: Type.Integer({ description: 'Fee paid for its publication, in points' }),
  fee_state: Type.String(),
  recommend: Type.Boolean(),
  digg_count: Type.Integer(),
  comment_count: Type.Integer(),
  hits: Type.Integer(),
  published_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  ...MemberText('content', { of: 'news', format: 'markdown' }, Type.Optional(Type.String())),
  tags: Type.Optional(Type.Array(NewsTag)),
})
export type ArticleRecord = Static<typeof ArticleRecord>

export const ArticleQuery = Type.Object({
  ...listingQuery(['id', 'hits', 'digg_count', 'comment_count']),
  title: Type.Optional(Text(100)),
  audit_status: Type.Optional(Int(0, 5)),
  category_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
  recommend: Type.Optional(Flag()),
})
export type ArticleQuery = Static<typeof ArticleQuery>

export const NewArticle = Shared('NewArticle', {
  title: Text(255),
  content: Text(100_000),
  category_id: Id,
  subject: Type.Optional(Nullable(Text(400))),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
  image: Type.Optional(Nullable(Id)),
  tags: Type.Optional(IdList(20)),
  user_id: Type.Optional(Id),
})
export type NewArticle = Static<typeof NewArticle>

/**
 * `audit_status`: 0 publishes, 3 rejects, 4 recycles. `mark`: reason displayed to the author of the article.
 */
export const ArticleDecision = Type.Object({
  audit_status: Type.Optional(
    Type.Unsafe<0 | 3 | 4>({
      type: 'integer',
      minimum: 0,
      maximum: 5,
      enum: [STATUS.published, STATUS.rejected, STATUS.recycled],
    }),
  ),
  mark: Type.Optional(Nullable(Text(255))),
  recommend: Type.Optional(Flag()),
})
export type ArticleDecision = Static<typeof ArticleDecision>

const DELETION_STATES = ['pending', 'accepted', 'rejected', 'cancelled'] as const

export const NewsDeletionRecord = Shared('NewsDeletion', {
  id: Type.Integer(),
  news_id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  state: Type.String(),
  mark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})

export const NewsDeletionQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(DELETION_STATES)),
  user_id: Type.Optional(Id),
})
export type NewsDeletionQuery = Static<typeof NewsDeletionQuery>

/** `accept` deletes the article. `mark`: reason for the decision, displayed to the author of the article. */
export const NewsDeletionDecision = Shared('NewsDeletionDecision', {
  action: OneOf(['accept', 'reject'] as const),
  mark: Type.Optional(Nullable(Text(255))),
})

export type NewsCategoryRecordRow = Row<
  'news_categories',
  'id' | 'name' | 'rank' | 'created_at' | 'updated_at'
> & { news_count: number }

export type ArticleRecordRow = Row<
  'news',
  | 'id'
  | 'title'
  | 'subject'
  | 'from'
  | 'author'
  | 'user_id'
  | 'category_id'
  | 'image'
  | 'audit_status'
  | 'audit_count'
  | 'mark'
  | 'contribute_amount'
  | 'fee_state'
  | 'published_at'
  | 'created_at'
  | 'updated_at'
> &
  Row<'news_counts', 'digg_count' | 'comment_count' | 'hits'> & {
    category: Tables['news_categories']['name']
    recommend: boolean
    content?: string
    tags?: { id: number; name: string }[]
  }

const categoryColumns = (sql: Db) => sql`
  g.id, g.name, g.rank, g.created_at, g.updated_at,
  (select count(*) from news n where n.category_id = g.id) as news_count`

export function listCategoryRecords(sql: Db, query: NewsCategoryQuery) {
  const { sort = 'rank', q } = query
  const key = nameKey(q ?? '')
  const where = sql`where true ${when(sql, key !== '', () => sql`and g.name_key like ${`%${escapeLike(key)}%`}`)}`
  const by = { rank: sql`g.rank`, name: sql`g.name_key`, id: undefined }[sort]
  return pageOf<NewsCategoryRecordRow>(
    sql,
    sql`select ${categoryColumns(sql)} from news_categories g ${where}
      ${listingClause(sql, query, { id: sql`g.id`, by, from: sql`news_categories g` })}`,
    sql`select count(*)::int as total from news_categories g ${where}`,
  )
}

export async function findCategoryRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<NewsCategoryRecordRow[]>`
    select ${categoryColumns(sql)} from news_categories g where g.id = ${id} ${when(sql, lock, () => sql`for update of g`)}`
  return row
}

const newsColumns = (sql: Db) => sql`
  n.id, n.title, n.subject, n."from", n.author, n.user_id, n.category_id, g.name as category, n.image, n.audit_status,
  n.audit_count, n.mark, n.contribute_amount, n.fee_state, n.recommended_at is not null as recommend, c.digg_count,
  c.comment_count, c.hits, n.published_at, n.created_at, n.updated_at`
const newsTables = (sql: Db) => sql`
  news n join news_counts c on c.news_id = n.id join news_categories g on g.id = n.category_id`

export function listArticleRecords(sql: Db, query: ArticleQuery) {
  const { sort = 'id', q, title, audit_status: status, recommend } = query
  const where = sql`where true ${titleContains(sql, q)} ${titleContains(sql, title)}
    ${ifGiven(sql, status, (value) => sql`and n.audit_status = ${value}`)}
    ${ifGiven(sql, query.category_id, (value) => sql`and n.category_id = ${value}`)}
    ${ifGiven(sql, query.user_id, (value) => sql`and n.user_id = ${value}`)}
    ${ifGiven(sql, recommend, (value) => sql`and (n.recommended_at is not null) = ${value}`)}`
  const counted = sql`news n join news_counts c on c.news_id = n.id`
  const list =
    sort === 'id'
      ? { id: sql`n.id`, from: sql`news n` }
      : { id: sql`n.id`, by: sql`c.${sql(sort)}`, from: counted }
  return pageOf<ArticleRecordRow>(
    sql,
    // The subquery sorts ids only, because sorting whole articles costs more.
    sql`select ${newsColumns(sql)} from ${newsTables(sql)}
      where n.id = any(array(
        select n.id from ${list.from} ${where} ${listingClause(sql, query, list)}
      )) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from news n ${where}`,
  )
}

export async function findArticleRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<ArticleRecordRow[]>`
    select ${newsColumns(sql)}, n.content, coalesce((
      select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id)
      from news_tags l join tags t on t.id = l.tag_id where l.news_id = n.id
    ), '[]') as tags
    from ${newsTables(sql)} where n.id = ${id} ${when(sql, lock, () => sql`for update of n`)}`
  return row
}

export function listDeletions(sql: Db, query: NewsDeletionQuery) {
  const { state, user_id: userId, q } = query
  const where = sql`where true ${ifGiven(sql, state, (value) => sql`and state = ${value}`)}
    ${ifGiven(sql, userId, (value) => sql`and user_id = ${value}`)}
    ${ifGiven(sql, q, (value) => sql`and title ilike ${`%${escapeLike(value)}%`}`)}`
  return pageOf<NewsDeletionRow>(
    sql,
    sql`select * from news_deletions ${where} ${listingClause(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from news_deletions ${where}`,
  )
}

export const findDeletion = async (sql: Db, id: number): Promise<NewsDeletionRow | undefined> =>
  (await sql<NewsDeletionRow[]>`select * from news_deletions where id = ${id}`)[0]
