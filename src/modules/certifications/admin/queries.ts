import { escapeLike } from '#lib/text.ts'
import { anyNameContains } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import { type CertificationRow, certificationColumns } from '../queries.ts'
import type { CertificationQuery } from './schema.ts'

/** A page of what was sent in. `q` is looked for in it and in the names of accounts. */
export function listCertifications(sql: Db, query: CertificationQuery) {
  const { q, status, certification_name: type, user_id: userId } = query
  const where = sql`
    where true
      ${ifGiven(sql, status, (value) => sql`and c.status = ${value}`)}
      ${ifGiven(sql, type, (value) => sql`and c.type = ${value}`)}
      ${ifGiven(sql, userId, (value) => sql`and c.user_id = ${value}`)}
      ${ifGiven(sql, q, (part) => {
        const pattern = `%${escapeLike(part)}%`
        return sql`and (c.name ilike ${pattern} or c.phone like ${pattern} or c.number ilike ${pattern}
          or c.org_name ilike ${pattern} or c.org_address ilike ${pattern}
          or c.user_id in (select u.id from users u where ${anyNameContains(sql, part)}))`
      })}`
  return pageOf<CertificationRow>(
    sql,
    sql`select ${certificationColumns(sql)} from certifications c ${where}
      ${listingAt(sql, query, { id: sql`c.id` })}`,
    sql`select count(*)::int as total from certifications c ${where}`,
  )
}
