import { escapeLike } from '#lib/text.ts'
import { nameContains } from '#modules/accounts/index.ts'
import { type CertificationRow, certificationColumns } from '#modules/certifications/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { CertificationQuery } from './schema.ts'

/** A page of what was sent in. `q` is looked for in it and in the names of accounts. */
export function listCertifications(sql: Db, query: CertificationQuery) {
  const { page = 1, limit = 15, order, q, status, certification_name: type, user_id: userId } = query
  const pattern = `%${escapeLike(q ?? '')}%`
  const where = sql`
    where true
      ${status === undefined ? sql`` : sql`and c.status = ${status}`}
      ${type === undefined ? sql`` : sql`and c.type = ${type}`}
      ${userId === undefined ? sql`` : sql`and c.user_id = ${userId}`}
      ${
        q === undefined
          ? sql``
          : sql`and (c.name ilike ${pattern} or c.phone like ${pattern} or c.number ilike ${pattern}
              or c.org_name ilike ${pattern} or c.org_address ilike ${pattern}
              or c.user_id in (select u.id from users u where true ${nameContains(sql, q)}))`
      }`
  return pageOf<CertificationRow>(
    sql`select ${certificationColumns(sql)} from certifications c ${where}
      order by c.id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from certifications c ${where}`,
  )
}
