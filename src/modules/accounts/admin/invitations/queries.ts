import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, orderAt } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import { hasEnded, type InvitationRow, invitationColumns } from '../../invitations/queries.ts'
import type { InviteeQuery, ManagedInvitationQuery } from './schema.ts'

type Named<N extends string> = Record<`${N}_id`, number> & Record<`${N}_name`, string | null>

/** A page of invitations with their makers; uses are counted for those on the page only. */
export function listManagedInvitations(sql: Db, { order, q, user, ended, ...page }: ManagedInvitationQuery) {
  const where = sql`
    where true ${ifGiven(sql, user, (id) => sql`and i.user_id = ${id}`)}
      ${ifGiven(sql, q, (code) => sql`and i.code = ${code.toUpperCase()}`)}
      ${ifGiven(sql, ended, (value) => sql`and (${hasEnded(sql)}) = ${value}`)}`
  const list = { id: sql`i.id` }
  return pageOf<InvitationRow & Named<'user'>>(
    sql,
    sql`select ${invitationColumns(sql)}, i.user_id, m.name as user_name
      from (select i.* from invitations i ${where} ${listingAt(sql, { order, ...page }, list)}) i
      left join users m on m.id = i.user_id ${orderAt(sql, { order }, list)}`,
    sql`select count(*)::int as total from invitations i ${where}`,
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
