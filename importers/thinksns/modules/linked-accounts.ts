import { defineTable } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { replaced } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'

const PROVIDER_MAX = 32

const links = defineTable({
  table: 'user_socialites',
  by: 'user_id',
  width: 2000,
  into: [
    {
      table: 'linked_accounts',
      key: { provider: 'type', subject: 'union_id' },
      columns: { type: 'provider', union_id: 'subject' },
    },
  ],
  key: ['user_id', 'type', 'union_id'],
  gone: replaced({ table: 'linked_accounts', by: 'user_id' }),
  reread: 'whole',
  reads: { users: ['user_id'] },
  columns: { user_id: 'int', union_id: 'text', type: 'text', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const taken = await tx<{ provider: string; subject: string; user_id: number }[]>`
      select provider, subject, user_id from linked_accounts
      where (provider, subject) in (
        select * from unnest(
          ${rows.map(({ type }) => type ?? '')}::text[], ${rows.map(({ union_id }) => union_id ?? '')}::text[]))`
    const owners = new Map(taken.map(({ provider, subject, user_id }) => [`${provider} ${subject}`, user_id]))
    const given = rows.flatMap((row) => {
      const { user_id: userId, type, union_id: subject } = row
      if (!people.has(userId ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!type || !subject || type.length > PROVIDER_MAX)
        batch.leaveOut(row, 'external account id is missing')
      else {
        const owner = owners.get(`${type} ${subject}`)
        const earlier = batch.memory.get(`${userId} ${type}`)
        if (owner !== undefined && owner !== userId)
          batch.leaveOut(row, 'external account is linked to another user')
        else if (earlier === subject) batch.merge(row, 'duplicate')
        else if (earlier !== undefined) batch.leaveOut(row, 'a second account of the same provider')
        else {
          owners.set(`${type} ${subject}`, userId ?? 0)
          batch.memory.set(`${userId} ${type}`, subject)
          return [{ provider: type, subject, user_id: userId, created_at: row.created_at ?? EPOCH }]
        }
      }
      return []
    })
    // Deletes the user's link to another account of the same provider, because the source takes precedence until
    // the import is closed.
    await tx`
      delete from linked_accounts l using unnest(
        ${given.map((row) => row.user_id ?? 0)}::bigint[], ${given.map((row) => row.provider)}::text[],
        ${given.map((row) => row.subject)}::text[]) as r (user_id, provider, subject)
      where l.user_id = r.user_id and l.provider = r.provider and l.subject <> r.subject`
    const columns = { provider: 'text', subject: 'text', user_id: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'linked_accounts', columns, given, { key: ['provider', 'subject'] })
  },
})

export const linkTables = [links]
