import { wireTime } from '#lib/time.ts'
import { fileViews, signedFileUrl } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { type CertificationRow, listCategories } from './queries.ts'
import type { CertificationView } from './schema.ts'

/** Certifications for the applicant and reviewers. Lists leave out the files. */
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
