import { wireTime } from '#lib/time.ts'
import { fileViews, signedFileUrl } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, type Tables, when } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import type { CertificationType, CertificationView } from './schema.ts'

export type CertificationRow = Tables['certifications'] & { type: CertificationType }

export type Statement = Pick<
  CertificationRow,
  'type' | 'name' | 'phone' | 'number' | 'description' | 'org_name' | 'org_address' | 'files'
>

export type CertificationCategoryRow = Tables['certification_categories'] & { name: CertificationType }

export const certificationColumns = (sql: Db) => sql`
  c.user_id, c.id, c.type, c.status, c.name, c.phone, c.number, c.description, c.org_name, c.org_address, c.files,
  c.reject_reason, c.examiner, c.version, c.created_at, c.updated_at`

export type By = { userId: number } | { id: number }

const is = (sql: Db, by: By): Fragment => ('id' in by ? sql`c.id = ${by.id}` : sql`c.user_id = ${by.userId}`)

export async function findCertification(
  sql: Db,
  by: By,
  { lock = false } = {},
): Promise<CertificationRow | undefined> {
  const [row] = await sql<CertificationRow[]>`
    select ${certificationColumns(sql)} from certifications c where ${is(sql, by)} ${when(sql, lock, () => sql`for update`)}`
  return row
}

/** The insert violates the primary key if the user already has a certification. */
export async function insertCertification(
  sql: Db,
  userId: number,
  { type, name, phone, number, description, org_name, org_address, files }: Statement,
  { status, examiner }: { status: number; examiner: number },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into certifications (user_id, type, name, phone, number, description, org_name, org_address, files,
      status, examiner)
    values (${userId}, ${type}, ${name}, ${phone}, ${number}, ${description}, ${org_name}, ${org_address}, ${files},
      ${status}, ${examiner})
    returning id`
  return row.id
}

export async function replaceCertification(
  sql: Db,
  userId: number,
  { type, name, phone, number, description, org_name, org_address, files }: Statement,
  { status, examiner }: { status: number; examiner: number },
): Promise<void> {
  await sql`
    update certifications set type = ${type}, name = ${name}, phone = ${phone}, number = ${number},
      description = ${description}, org_name = ${org_name}, org_address = ${org_address}, files = ${files},
      status = ${status}, examiner = ${examiner}, reject_reason = null, version = version + 1, updated_at = now()
    where user_id = ${userId}`
}

export async function decideCertification(
  sql: Db,
  userId: number,
  decision: { status: number; examiner: number; description?: string; reason: string | null },
): Promise<void> {
  const { status, examiner, description, reason } = decision
  await sql`
    update certifications set status = ${status}, examiner = ${examiner}, reject_reason = ${reason},
      ${ifGiven(sql, description, (value) => sql`description = ${value},`)} updated_at = now()
    where user_id = ${userId}`
}

export async function deleteCertification(sql: Db, userId: number): Promise<void> {
  await sql`delete from certifications where user_id = ${userId}`
}

export const listCategories = (sql: Db) => sql<CertificationCategoryRow[]>`
  select name, display_name_en, display_name_zh, description, icon, updated_at
  from certification_categories order by name desc`

export async function findCategory(
  sql: Db,
  name: CertificationType,
  lock?: 'share' | 'update',
): Promise<CertificationCategoryRow> {
  const held = { share: sql`for share`, update: sql`for update` }
  const [row] = await sql<[CertificationCategoryRow]>`
    select name, display_name_en, display_name_zh, description, icon, updated_at
    from certification_categories where name = ${name} ${ifGiven(sql, lock, (kind) => held[kind])}`
  return row
}

export type CategoryChanges = Partial<Omit<CertificationCategoryRow, 'name' | 'updated_at'>>

export async function updateCategory(
  sql: Db,
  name: CertificationType,
  changes: CategoryChanges,
): Promise<void> {
  const { display_name_en: en, display_name_zh: zh, description, icon } = changes
  await sql`
    update certification_categories set updated_at = now()
      ${ifGiven(sql, en, (value) => sql`, display_name_en = ${value}`)}
      ${ifGiven(sql, zh, (value) => sql`, display_name_zh = ${value}`)}
      ${ifGiven(sql, description, (value) => sql`, description = ${value}`)}
      ${ifGiven(sql, icon, (value) => sql`, icon = ${value}`)}
    where name = ${name}`
}

export async function updateBadgesAfter(
  sql: Db,
  type: CertificationType,
  userId: number,
  limit: number,
): Promise<number | undefined> {
  const [row] = await sql<[{ last: number | null }]>`
    with next as materialized (
      select user_id from certifications
      where type = ${type} and status = 1 and user_id > ${userId} order by user_id limit ${limit}
    ),
    renewed as (
      update users u set verified = u.verified || jsonb_build_object('icon', k.icon)
      from next n, certification_categories k
      where u.id = n.user_id and k.name = ${type} and u.verified ->> 'type' = k.name
    )
    select max(user_id) as last from next`
  return row.last ?? undefined
}

export async function certificationViews(
  ctx: Context,
  rows: CertificationRow[],
  language: Language,
  { withFiles }: { withFiles: boolean },
): Promise<CertificationView[]> {
  if (rows.length === 0) return []
  const [categories, files] = await Promise.all([
    listCategories(ctx.sql),
    fileViews(ctx.sql, withFiles ? rows.flatMap((row) => row.files) : []),
  ])
  return rows.map((row) => {
    const category = categories.find(({ name }) => name === row.type)!
    const shown = withFiles ? row.files : []
    return {
      id: row.id,
      certification_name: row.type,
      user_id: row.user_id,
      data: {
        name: row.name,
        phone: row.phone,
        number: row.number,
        desc: row.description,
        files: shown,
        org_name: row.org_name,
        org_address: row.org_address,
        reject_content: row.reject_reason,
      },
      files: shown.flatMap((id) => {
        const file = files.get(id)
        return file ? [{ ...file, url: signedFileUrl(ctx, id, {}, true) }] : []
      }),
      examiner: row.examiner,
      status: row.status,
      icon: category.icon,
      category: {
        name: category.name,
        display_name: category[`display_name_${language}`],
        description: category.description,
      },
      created_at: wireTime(row.created_at),
      updated_at: wireTime(row.updated_at),
    }
  })
}
