import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { grams, nameKey } from '#lib/text.ts'
import type { Db, Tx } from '#platform/database'
import { ANYTHING, orNone } from '../../database/changes.ts'
import { type Batch, defineTable, type SourceRow } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES } from '../../database/times.ts'
import { all, existing, released, removed } from '../../database/vanishing.ts'
import { findHeir, findTargets, upsert } from '../../database/write.ts'
import { createConverter, isHtml } from '../../html/markdown.ts'
import { claimUses, findUses, unclaimed } from '../files/uses.ts'
import { noteImportedHolds } from '../ledger/balances.ts'

export const SUBJECT_MAX = 200

const NEWS = {
  id: 'int',
  title: 'text',
  subject: 'text',
  content: 'text',
  from: 'text',
  author: 'text',
  storage: 'int',
  hits: 'int',
  is_recommend: 'int',
  audit_status: 'int',
  audit_count: 'int',
  user_id: 'int',
  cate_id: 'int',
  contribute_amount: 'int',
  deleted_at: 'time',
  ...TIMES,
} as const
type Row = SourceRow<typeof NEWS>

const GONE = 4
/** A draft, which only its author sees. */
const UNKNOWN = 2

function feeOf(row: Row, refund: boolean): { amount: number; state: string; waits: boolean } {
  const amount = Math.max(row.contribute_amount ?? 0, 0)
  if (amount === 0) return { amount, state: 'none', waits: false }
  const status = row.audit_status ?? 0
  if (status === 1) return { amount, state: refund ? 'refunded' : 'escrow', waits: true }
  return { amount, state: status === 0 || status === 5 ? 'income' : 'refunded', waits: false }
}

export async function otherCategory(sql: Db): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with made as (
      insert into news_categories (id, name, name_key) values (0, '未分类', '未分类') on conflict do nothing returning id
    )
    select id from made union all select id from news_categories where name_key = '未分类' limit 1`
  return row?.id ?? 0
}

const convert = createConverter()

/** Returns the contents in Markdown. Early versions and the editor of the old PC site wrote HTML. */
async function contentsOf(rows: Row[], batch: Batch): Promise<Map<Row, string>> {
  const contents = new Map<Row, string>()
  for (const row of rows) {
    const content = row.content ?? ''
    if (isHtml(content)) {
      const { markdown, lost, isText } = await convert(content)
      contents.set(row, markdown)
      if (isText)
        batch.mend(row, 'HTML too large or too deep to convert: kept as text without layout', 'content')
      else if (lost.length > 0)
        batch.mend(row, `HTML converted to Markdown; lost: ${lost.join(', ')}`, 'content')
      else batch.mend(row, 'HTML converted to Markdown', 'content')
    } else {
      contents.set(row, content)
      if (content.includes('/storage/'))
        batch.mend(row, 'pictures of the old site in the text: embedded as uploads')
      if (/<(br|img|span)[\s/>]/i.test(content)) batch.mend(row, 'tags in Markdown: shown as text')
    }
  }
  return contents
}

async function writeNews(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    rows.map((row) => row.user_id),
  )
  const cates = await findTargets(
    tx,
    'news_cates',
    rows.map((row) => row.cate_id),
  )
  const kept = rows.filter((row) => {
    if (row.deleted_at === null && row.audit_status !== GONE) return true
    batch.leaveOut(row, 'deleted')
    return false
  })
  const heir = kept.every(({ user_id }) => people.has(user_id ?? 0)) ? 0 : await findHeir(tx)
  const other = kept.every(({ cate_id }) => cates.has(cate_id ?? 0)) ? 0 : await otherCategory(tx)
  const contents = await contentsOf(kept, batch)
  const images = await findUses(
    tx,
    kept.map(({ storage }) => storage ?? 0),
  )
  const uses = new Map(images.map((use) => [use.id, use]))
  const refund = batch.options.waiting === 'refund'
  const articles = kept.map((row) => {
    if (!people.has(row.user_id ?? 0))
      batch.mend(row, 'its author no longer exists: assigned to the first administrator', 'user_id')
    if (!cates.has(row.cate_id ?? 0))
      batch.mend(row, 'its category no longer exists: moved to another', 'cate_id')
    const fee = feeOf(row, refund)
    if (fee.waits && refund) batch.mend(row, 'its fee was refunded by the import')
    const title = row.title?.trim() || `news ${row.id}`
    const created = row.created_at ?? row.updated_at ?? EPOCH
    const status = row.audit_status ?? (batch.has('audit_status') ? UNKNOWN : 0)
    const image = uses.get(row.storage ?? 0)
    const subject = row.subject?.trim() ?? ''
    const content = contents.get(row) ?? ''
    return {
      id: row.id,
      title,
      title_key: nameKey(title),
      title_grams: grams(title),
      subject: subject === '' ? plainText(content, SUBJECT_MAX) : subject,
      subject_given: subject !== '',
      content,
      from: row.from,
      author: row.author,
      user_id: people.has(row.user_id ?? 0) ? row.user_id : heir,
      category_id: Number(cates.get(row.cate_id ?? 0) ?? other),
      image: image?.id ?? null,
      image_size: image?.size ?? null,
      audit_status: status >= 0 && status <= 5 ? status : UNKNOWN,
      audit_count: Math.min(Math.max(row.audit_count ?? 0, 0), 30_000),
      contribute_amount: fee.amount,
      fee_state: fee.state,
      recommended_at: row.is_recommend ? created : null,
      published_at: status === 0 ? created : null,
      created_at: created,
      updated_at: row.updated_at ?? created,
      waits: fee.waits,
      hits: Math.max(row.hits ?? 0, 0),
      pictures: findAttachments(content),
    }
  })
  const columns = {
    id: 'bigint',
    title: 'text',
    title_key: 'text',
    title_grams: 'text[]',
    subject: 'text',
    subject_given: 'boolean',
    content: 'text',
    from: 'text',
    author: 'text',
    user_id: 'bigint',
    category_id: 'bigint',
    image: 'bigint',
    image_size: 'text',
    audit_status: 'smallint',
    audit_count: 'smallint',
    contribute_amount: 'bigint',
    fee_state: 'text',
    recommended_at: 'timestamptz',
    published_at: 'timestamptz',
    ...TIME_COLUMNS,
  }
  await upsert(tx, 'news', columns, articles)
  await upsert(
    tx,
    'news_counts',
    { news_id: 'bigint', hits: 'bigint' },
    articles.map(({ id, hits }) => ({ news_id: id, hits })),
    { key: ['news_id'] },
  )
  await noteImportedHolds(
    tx,
    'news',
    rows.map(({ id }) => id ?? 0),
    articles
      .filter(({ waits }) => waits)
      .map(({ id, user_id, contribute_amount }) => ({
        subjectId: id ?? 0,
        ownerId: user_id ?? 0,
        currency: 'points',
        amount: contribute_amount,
        kind: 'contribution',
        refundKind: 'contribution:refunded',
        givenBack: refund,
      })),
  )
  await claimUses(
    tx,
    'news',
    articles.flatMap(({ id, image, pictures }) => [
      ...pictures
        .filter((picture) => picture !== image)
        .map((picture) => ({ placeId: id ?? 0, id: picture, channel: 'news:content', raw: id })),
      ...(image === null ? [] : [{ placeId: id ?? 0, id: image, channel: 'news:image', raw: id }]),
    ]),
  )
}

export const news = defineTable({
  table: 'news',
  by: 'id',
  width: 500,
  batch: 100,
  into: [
    {
      table: 'news',
      columns: {
        // If the subject is empty, Kith derives one from the content.
        subject: { as: (subject) => (subject === null || subject === '' ? ANYTHING : subject) },
        storage: { column: 'image', ...orNone },
        is_recommend: {
          column: 'recommended_at',
          as: (recommended) => Boolean(recommended),
          of: (at) => at !== null,
        },
        cate_id: 'category_id',
        deleted_at: null,
      },
    },
    { table: 'news_counts', key: { news_id: 'id' }, only: ['hits'] },
  ],
  key: ['id'],
  gone: all(released('news'), unclaimed('news'), removed('news')),
  reads: { users: ['user_id'], news_cates: ['cate_id'], 'files of news': ['id'], uses: ['storage'] },
  states: existing('news', 'news', (sql) => sql`concat_ws(' ', user_id, title)`),
  columns: NEWS,
  write: writeNews,
})
