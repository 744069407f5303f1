import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import { type InvitationRow, invitationColumns } from '../../invitations/queries.ts'
import type { InviteeQuery, ManagedInvitationQuery } from './schema.ts'

type Named<N extends string> = Record<`${N}_id`, number> & Record<`${N}_name`, string | null>

/** A page of invitations with their makers. */
export function listManagedInvitations(sql: Db, { order, q, user, ended, ...page }: ManagedInvitationQuery) {
  const rows = sql`
    select * from (
      select ${invitationColumns(sql)}, i.user_id, m.name as user_name
      from invitations i left join users m on m.id = i.user_id
      where true ${ifGiven(sql, user, (id) => sql`and i.user_id = ${id}`)}
        ${ifGiven(sql, q, (code) => sql`and i.code = ${code.toUpperCase()}`)}
    ) i
    where true ${ifGiven(sql, ended, (value) => sql`and i.ended = ${value}`)}`
  return pageOf<InvitationRow & Named<'user'>>(
    sql,
    sql`select * from (${rows}) i where true ${listingAt(sql, { order, ...page }, { id: sql`i.id` })}`,
    sql`select count(*)::int as total from (${rows}) i`,
  )
}

/** A page of those who came by an invitation. */
export function listInvitees(sql: Db, { order, user, inviter, invitation, ...page }: InviteeQuery) {
  const where = sql`
    where true ${ifGiven(sql, user, (id) => sql`and n.user_id = ${id}`)}
      ${ifGiven(sql, inviter, (id) => sql`and n.inviter_id = ${id}`)}
      ${ifGiven(sql, invitation, (id) => sql`and n.invitation_id = ${id}`)}`
  return pageOf<
    Pick<Tables['invitation_uses'], 'invitation_id' | 'created_at'> & Named<'user'> & Named<'inviter'>
  >(
    sql,
    sql`select n.user_id, u.name as user_name, n.inviter_id, m.name as inviter_name, n.invitation_id, n.created_at
      from invitation_uses n join users u on u.id = n.user_id left join users m on m.id = n.inviter_id
      ${where} ${listingAt(sql, { order, ...page }, { id: sql`n.user_id` })}`,
    sql`select count(*)::int as total from invitation_uses n ${where}`,
  )
}
