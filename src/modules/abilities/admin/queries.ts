import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { andPastRow, directionOf, ifGiven, partOf } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { AbilityChanges, AbilityQuery } from './schema.ts'

/** A page of abilities, in the order of their names unless asked otherwise. */
export function listAbilities(sql: Db, query: AbilityQuery) {
  const { order = 'asc', limit = 15, page = 1 } = query
  const where = sql`where true ${ifGiven(sql, query.q, (part) => sql`and name ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<Tables['abilities']>(
    sql,
    sql`select name, display_name, description from abilities ${where}
      ${andPastRow(sql, query.after, sql`name`, sql`select ${query.after ?? ''}::text`, order)}
      order by name ${directionOf(sql, order)} ${partOf(sql, { limit, offset: (page - 1) * limit, after: query.after })}`,
    sql`select count(*)::int as total from abilities ${where}`,
  )
}

/** Changes how an ability is called; its name is what routes check, so that stays. Answers the former row. */
export async function updateAbility(
  sql: Db,
  name: string,
  changes: AbilityChanges,
): Promise<Pick<Tables['abilities'], 'display_name' | 'description'> | undefined> {
  const [row] = await sql<Pick<Tables['abilities'], 'display_name' | 'description'>[]>`
    update abilities a set display_name = ${changes.display_name ?? sql`a.display_name`},
      description = ${changes.description ?? sql`a.description`}
    from (select * from abilities where name = ${name} for update) as former
    where a.name = former.name returning former.display_name, former.description`
  return row
}
