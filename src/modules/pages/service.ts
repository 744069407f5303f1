import { findAttachments } from '#lib/attachments.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { attachUnattached } from '#modules/files/index.ts'
import { readSiteSettings, siteName } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, onConstraint, type Row, type Tx, when } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { pageOf } from '#platform/http'
import { defineCache } from '#platform/memory'
import {
  type NewAdminPage,
  noSuchPage,
  noTemplate,
  noTitle,
  nothingToPublish,
  PAGE_ABILITY,
  PAGE_FILE,
  PAGES_MOST,
  type PageVersionQuery,
  slugTaken,
  tooManyPages,
} from './schema.ts'
import { TEMPLATES } from './templates.ts'

type PageRow = Row<'site_pages', 'id' | 'slug' | 'is_published' | 'in_footer' | 'at_sign_up' | 'place'> & {
  title_en: string | null
  title_zh: string | null
  /** Absent in lists. */
  body_en?: string | null
  body_zh?: string | null
  versions: number
  consents: number
  updated_at: string | null
}

const LANGUAGES = ['en', 'zh'] as const
const CONSENTS_MOST = 10_000

const newestText = (sql: Db, language: Language) => sql`
  left join lateral (
    select title, body, created_at from site_page_versions v
    where v.page_id = p.id and v.language = ${language} order by v.id desc limit 1
  ) ${sql(language)} on true`

const selectPages = (sql: Db, { withBodies }: { withBodies: boolean }) => sql`
  select p.id, p.slug, p.is_published, p.in_footer, p.at_sign_up, p.place,
    nullif(en.title, '') as title_en, nullif(zh.title, '') as title_zh
    ${when(sql, withBodies, () => sql`, nullif(en.body, '') as body_en, nullif(zh.body, '') as body_zh`)},
    (select count(*)::int from site_page_versions v where v.page_id = p.id) as versions,
    (select count(*)::int from (
      select from site_page_versions v join consents c on c.version_id = v.id
      where v.page_id = p.id limit ${CONSENTS_MOST}
    ) as counted) as consents,
    greatest(en.created_at, zh.created_at) as updated_at
  from site_pages p ${newestText(sql, 'en')} ${newestText(sql, 'zh')}
  where p.deleted_at is null`

export async function listPages(sql: Db) {
  const data = await sql<PageRow[]>`${selectPages(sql, { withBodies: false })}
    order by p.place, p.id limit ${PAGES_MOST}`
  return { data, total: data.length }
}

export async function findPage(sql: Db, id: number, { lock = false } = {}): Promise<PageRow | undefined> {
  // Locks the page alone, because PostgreSQL cannot lock the nullable side of a join.
  if (lock) await sql`select from site_pages where id = ${id} for update`
  const [row] = await sql<PageRow[]>`${selectPages(sql, { withBodies: true })} and p.id = ${id}`
  return row
}

export const pageView = (row: PageRow) => ({ ...row, updated_at: wireTimeOrNull(row.updated_at) })

/** Summary of a page for the audit log, without its texts, which the versions contain. */
export const pageSummary = ({ body_en: _, body_zh: __, consents: ___, ...row }: PageRow) => row

type Texts = Pick<NewAdminPage, 'title_en' | 'body_en' | 'title_zh' | 'body_zh'>

/**
 * Adds a version for each language whose title or body differs from the version in force. An empty body withdraws
 * the text in this language.
 */
async function saveTexts(
  tx: Tx,
  pageId: number,
  userId: number,
  texts: Texts,
  known?: PageRow,
): Promise<void> {
  for (const language of LANGUAGES) {
    const change = (part: 'title' | 'body') => {
      const [given, before] = [texts[`${part}_${language}`], known?.[`${part}_${language}`] ?? '']
      return { before, after: given === undefined ? before : (given ?? '') }
    }
    const [title, body] = [change('title'), change('body')]
    if (title.after === title.before && body.after === body.before) continue
    if (title.after === '' && body.after !== '') throw noTitle()
    await tx`
      insert into site_page_versions (page_id, language, title, body, edited_by)
      values (${pageId}, ${language}, ${title.after}, ${body.after}, ${userId})`
    await attachUnattached(tx, {
      ids: findAttachments(body.after),
      ownerId: userId,
      channel: PAGE_FILE,
      raw: pageId,
    })
  }
}

/** Checks the page that a transaction wrote, and announces it to every node. */
async function finishChange(ctx: Context, tx: Tx, pageId: number): Promise<void> {
  const page = await findPage(tx, pageId)
  if (page?.is_published && !page.body_en && !page.body_zh) throw nothingToPublish()
  await announcePages(ctx, tx)
}

export async function createPage(ctx: Context, tx: Tx, userId: number, body: NewAdminPage): Promise<number> {
  const [row] = await onConstraint(
    tx<{ id: number }[]>`
      insert into site_pages (slug, is_published, in_footer, at_sign_up, place)
      select ${body.slug}, ${body.is_published ?? false}, ${body.in_footer ?? true},
        ${body.at_sign_up ?? false}, ${body.place ?? 100}
      where (select count(*) from site_pages where deleted_at is null) < ${PAGES_MOST}
      returning id`,
    { site_pages_slug_taken: slugTaken },
  )
  if (!row) throw tooManyPages()
  await saveTexts(tx, row.id, userId, body)
  await finishChange(ctx, tx, row.id)
  return row.id
}

export async function changePage(
  ctx: Context,
  tx: Tx,
  userId: number,
  row: PageRow,
  changes: Partial<NewAdminPage>,
): Promise<void> {
  const { slug, is_published, in_footer, at_sign_up, place } = { ...row, ...changes }
  await onConstraint(
    tx`
      update site_pages set slug = ${slug}, is_published = ${is_published}, in_footer = ${in_footer},
        at_sign_up = ${at_sign_up}, place = ${place}
      where id = ${row.id}`,
    { site_pages_slug_taken: slugTaken },
  )
  await saveTexts(tx, row.id, userId, changes, row)
  await finishChange(ctx, tx, row.id)
}

/** Keeps the versions, because users may have agreed to one. */
export async function removePage(ctx: Context, tx: Tx, { id }: PageRow): Promise<void> {
  await tx`update site_pages set deleted_at = now() where id = ${id}`
  await announcePages(ctx, tx)
}

/** Adds versions with the template of the page in both languages. */
export async function fillFromTemplate(ctx: Context, tx: Tx, userId: number, row: PageRow): Promise<void> {
  const template = TEMPLATES[row.slug]
  if (!template) throw noTemplate()
  const settings = await readSiteSettings(ctx)
  const texts: Texts = {}
  for (const language of LANGUAGES) {
    const { title, body } = template[language]
    const values: Record<string, string> = {
      site: siteName(ctx.config, settings, language),
      address: ctx.config.publicUrl,
      contact: settings['site:contact'] ?? '…',
      imprint: settings['site:imprint'] ?? '…',
    }
    texts[`title_${language}`] = title
    texts[`body_${language}`] = body.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '…')
  }
  await saveTexts(tx, row.id, userId, texts, row)
  await finishChange(ctx, tx, row.id)
}

type VersionRow = Row<
  'site_page_versions',
  'id' | 'page_id' | 'language' | 'title' | 'edited_by' | 'created_at'
> & {
  slug: string
  /** Absent in lists. */
  body?: string
}

const selectVersions = (sql: Db) =>
  sql`select v.id, v.page_id, p.slug, v.language, v.title, v.edited_by, v.created_at`

export function listVersions(sql: Db, query: PageVersionQuery) {
  const where = sql`where true ${ifGiven(sql, query.page_id, (id) => sql`and v.page_id = ${id}`)}`
  return pageOf<VersionRow>(
    sql,
    sql`
      ${selectVersions(sql)} from site_page_versions v join site_pages p on p.id = v.page_id ${where}
      ${listingClause(sql, query, { id: sql`v.id`, from: sql`site_page_versions v` })}`,
    sql`select count(*)::int as total from site_page_versions v ${where}`,
  )
}

type FullVersion = VersionRow & { body: string }

export async function findVersion(sql: Db, id: number): Promise<FullVersion | undefined> {
  const [row] = await sql<FullVersion[]>`
    ${selectVersions(sql)}, v.body
    from site_page_versions v join site_pages p on p.id = v.page_id where v.id = ${id}`
  return row
}

export const versionView = ({ language, ...row }: VersionRow) => ({
  ...row,
  language: language as Language,
  created_at: wireTime(row.created_at),
})

/** Repeats an earlier version as the newest. */
export async function restoreVersion(
  ctx: Context,
  tx: Tx,
  userId: number,
  version: FullVersion,
): Promise<void> {
  const page = await findPage(tx, version.page_id, { lock: true })
  if (!page) throw noSuchPage()
  const { language, title, body } = version
  await saveTexts(tx, page.id, userId, { [`title_${language}`]: title, [`body_${language}`]: body }, page)
  await finishChange(ctx, tx, page.id)
}

type Published = {
  id: number
  slug: string
  title: string
  body: string
  language: Language
  version: number
  in_footer: boolean
  at_sign_up: boolean
  updated_at: string
}

const cacheOf = defineCache<Record<Language, Published[]>>('site_page_list', { max: 1, ttlMs: 60_000 })

const announcePages = (ctx: Context, tx: Tx) => cacheOf(ctx).announce(tx, 'all')

/** Reads the published pages. A page without a text in the language has its text in the other. */
async function loadPages(sql: Db): Promise<Record<Language, Published[]>> {
  const rows = await sql<Published[]>`
    select p.id, p.slug, p.in_footer, p.at_sign_up, v.title, v.body, v.language, v.id as version,
      v.created_at as updated_at
    from (
      select * from site_pages where is_published and deleted_at is null order by place, id limit ${PAGES_MOST}
    ) p, unnest(${[...LANGUAGES]}::text[]) as l (language), lateral (
      select id, title, body, language, created_at from site_page_versions v
      where v.page_id = p.id and v.language = l.language order by v.id desc limit 1
    ) v
    where v.body <> '' order by p.place, p.id`
  const texts = rows.map((row) => ({ ...row, updated_at: wireTime(row.updated_at) }))
  const ofPage = [...Map.groupBy(texts, ({ id }) => id).values()]
  const inLanguage = (language: Language) =>
    ofPage.flatMap((each) => each.find((text) => text.language === language) ?? each.slice(0, 1))
  return { en: inLanguage('en'), zh: inLanguage('zh') }
}

/** Published pages by language, from the cache. A change reaches every node within a second. */
export const readSitePages = async (ctx: Context): Promise<Record<Language, Published[]>> =>
  cacheOf(ctx).get('all', () => loadPages(ctx.sql))

/**
 * Records that a new user agreed to versions of pages at the sign-up, one for each page. Ignores ids of other
 * texts (registration-9).
 */
export async function recordConsents(tx: Tx, userId: number, versions: readonly number[]): Promise<void> {
  if (versions.length === 0) return
  await tx`
    insert into consents (user_id, version_id)
    select ${userId}, max(v.id) from site_page_versions v join site_pages p on p.id = v.page_id
    where v.id = any(${[...versions]}::bigint[]) and p.at_sign_up and p.is_published and p.deleted_at is null
    group by v.page_id`
}

export const eraseConsents = (tx: Tx, userId: number) => tx`delete from consents where user_id = ${userId}`

/** Pictures of unpublished pages are for the administrators who write them. */
export async function mayReadPageFile(ctx: Context, pageId: number, viewerId: number): Promise<boolean> {
  const isPublished = (await readSitePages(ctx)).en.some(({ id }) => id === pageId)
  return isPublished || (viewerId !== 0 && (await hasAbility(ctx, viewerId, PAGE_ABILITY)))
}
