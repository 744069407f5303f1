import { isEmail, loginKind, normalizeEmail, readPhone } from '#lib/identifiers.ts'
import { grams, isBlank, nameKey } from '#lib/text.ts'
import { revokeTokens } from '#modules/tokens/index.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import { addFacts } from '../../database/state.ts'
import { type Batch, defineTable, type Outcomes, type Range, type SourceRow } from '../../database/table.ts'
import { TIME_COLUMNS, TIMES } from '../../database/times.ts'
import { all, custom, existing, withoutPictures } from '../../database/vanishing.ts'
import {
  addTargets,
  allTargets,
  dropTargetsById,
  dropTargetsOf,
  relation,
  upsert,
} from '../../database/write.ts'
import { nodePicture, wantPictures } from '../files/pictures.ts'

const PEOPLE = {
  id: 'int',
  name: 'text',
  email: 'text',
  phone: 'text',
  password: 'text',
  bio: 'text',
  sex: 'int',
  location: 'text',
  avatar: 'text',
  bg: 'text',
  email_verified_at: 'time',
  phone_verified_at: 'time',
  deleted_at: 'time',
  ...TIMES,
} as const
type Row = SourceRow<typeof PEOPLE>

const PERSON_COLUMNS = {
  id: 'bigint',
  name: 'text',
  name_key: 'text',
  name_grams: 'text[]',
  email: 'text',
  email_key: 'text',
  phone: 'text',
  password: 'text',
  bio: 'text',
  sex: 'smallint',
  location: 'text',
  email_verified_at: 'timestamptz',
  phone_verified_at: 'timestamptz',
  deleted_at: 'timestamptz',
  ...TIME_COLUMNS,
}

/** Users here whom the source lacks, whose roles in the source no longer count. */
export const FORMER = 'former users'

const KNOWN_HASH = /^\$(2[abxy]\$\d\d\$.{53}|argon2(i|id)\$.+)$/

function nameOf(row: Row, taken: Set<string>, outcomes: Outcomes): string {
  const id = row.id ?? 0
  let name = (row.name ?? '').trim()
  if (name === '' || isBlank(name) || nameKey(name) === '') {
    name = `user_${id}`
    outcomes.mend(row, 'no name: renamed to user_ID', 'name')
  } else if (loginKind(name).kind !== 'name') {
    name = `_${name.replaceAll('@', '_')}`
    outcomes.mend(row, 'name looks like an id, phone or e-mail: prefixed with an underscore', 'name')
  }
  if (taken.has(nameKey(name))) {
    name = `${name}_${id}`
    outcomes.mend(
      row,
      'name differs from another only in case, width or invisible characters: id appended',
      'name',
    )
  }
  taken.add(nameKey(name))
  return name
}

type Contact = { value: string; key: string }

function readContact(row: Row, kind: 'email' | 'phone'): Contact | undefined {
  const value = row[kind]?.trim() ?? ''
  if (kind === 'email') return isEmail(value) ? { value, key: normalizeEmail(value) } : undefined
  const phone = readPhone(value)
  return phone === undefined ? undefined : { value: phone, key: phone }
}

/**
 * Returns the email address or phone number of each row. Of several users with the same contact, an active user
 * keeps it rather than a deleted one.
 */
async function contactsOf(
  tx: Tx,
  rows: Row[],
  kind: 'email' | 'phone',
  batch: Batch,
): Promise<Map<Row, Contact>> {
  const column = kind === 'email' ? 'email_key' : 'phone'
  const wanted = new Map(rows.map((row) => [row, readContact(row, kind)]))
  const holders = await tx<{ id: number; key: string; value: string; deleted: boolean }[]>`
    select id, ${tx(column)} as key, ${tx(kind)} as value, deleted_at is not null as deleted from users
    where ${tx(column)} = any(${[...wanted.values()].map((contact) => contact?.key ?? '')})
      and not id = any(${rows.map(({ id }) => id ?? 0)})`
  const holderOf = new Map(holders.map((row) => [row.key, row]))
  const taken = new Set<string>()
  const contacts = new Map<Row, Contact>()
  const living = rows.filter(({ deleted_at }) => deleted_at === null)
  for (const row of [...living, ...rows.filter(({ deleted_at }) => deleted_at !== null)]) {
    const contact = wanted.get(row)
    const holder = holderOf.get(contact?.key ?? '')
    if ((row[kind]?.trim() ?? '') === '') continue
    if (contact === undefined)
      batch.mend(
        row,
        kind === 'email' ? 'no e-mail address: left empty' : 'no phone number: left empty',
        kind,
      )
    else if (taken.has(contact.key) || (holder && (!holder.deleted || row.deleted_at !== null)))
      batch.mend(row, `another user has the same ${kind}: left empty`, kind)
    else {
      if (kind === 'phone' && contact.value !== row.phone)
        batch.mend(row, 'phone number without country code, spaces and hyphens', 'phone')
      taken.add(contact.key)
      contacts.set(row, contact)
      if (!holder) continue
      const reason = `an active user has the same ${kind}: left empty`
      batch.mend({ id: holder.id, [kind]: holder.value }, reason, { column: kind, new: null })
      await tx`update users set ${tx(kind)} = null, ${tx(column)} = null where id = ${holder.id}`
    }
  }
  return contacts
}

async function heldNames(tx: Tx, keys: string[], ids: number[]) {
  const rows = await tx<{ key: string }[]>`
    select name_key as key from users where name_key = any(${keys}) and not id = any(${ids})`
  return new Set(rows.map(({ key }) => key))
}

/** Ends the sign-ins and roles of accounts that users registered here, and whose ids the source has assigned since. */
async function endAccounts(
  tx: Tx,
  people: { id: number | null; created_at: string }[],
  { ctx }: Batch,
): Promise<void> {
  const others = await tx<{ id: number; enters: boolean }[]>`
    select u.id, exists (select from token_families f where f.user_id = u.id and f.revoked_at is null) as enters
    from users u join ${relation(tx, { id: 'bigint', created_at: 'timestamptz' }, people)} on r.id = u.id
    where u.created_at <> r.created_at`
  const ids = others.map(({ id }) => id)
  await tx`delete from second_factors where user_id = any(${ids})`
  // Later steps read the roles of these users again, because the fact about each of them changes.
  await tx`delete from user_roles where user_id = any(${ids})`
  for (const { id, enters } of others) if (enters) await revokeTokens(ctx, tx, id, { keepsChat: true })
}

async function writePeople(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const ids = rows.map(({ id }) => id ?? 0)
  const names = rows.flatMap(({ id, name }) => [
    nameKey(name ?? ''),
    nameKey(`_${name?.trim().replaceAll('@', '_')}`),
    nameKey(`${name?.trim()}_${id}`),
    `user_${id}`,
  ])
  const takenNames = await heldNames(tx, names, ids)
  const emails = await contactsOf(tx, rows, 'email', batch)
  const phones = await contactsOf(tx, rows, 'phone', batch)
  const people = rows.map((row) => {
    const name = nameOf(row, takenNames, batch)
    const email = emails.get(row) ?? null
    const phone = phones.get(row) ?? null
    const password = row.password === '' ? null : row.password
    const known = password === null || KNOWN_HASH.test(password)
    if (!known) batch.mend(row, 'unknown password format: the user has to reset it')
    if (email === null && phone === null && (password === null || !known))
      batch.mend(row, 'no e-mail, phone or password: an administrator has to restore access')
    const created = row.created_at ?? row.updated_at ?? new Date(0).toISOString()
    return {
      id: row.id,
      name,
      name_key: nameKey(name),
      name_grams: grams(name),
      email: email?.value ?? null,
      email_key: email?.key ?? null,
      phone: phone?.key ?? null,
      password: known ? password : null,
      bio: row.bio,
      sex: row.sex === 1 || row.sex === 2 ? row.sex : 0,
      location: row.location,
      // Old versions of ThinkSNS+ stored a contact only after verification, so a missing time means the
      // registration time.
      email_verified_at: email === null ? null : (row.email_verified_at ?? created),
      phone_verified_at: phone === null ? null : (row.phone_verified_at ?? created),
      deleted_at: row.deleted_at,
      created_at: created,
      updated_at: row.updated_at ?? created,
    }
  })
  await endAccounts(tx, people, batch)
  const returned = await dropTargetsById(tx, FORMER, ids)
  await addFacts(tx, FORMER, FORMER, returned)
  // Clears unique values first, because two users may have swapped them since the last run.
  await tx`
    update users u set name_key = 'moving ' || u.id, email = null, email_key = null, phone = null
    from ${relation(tx, { id: 'bigint', name_key: 'text', email_key: 'text', phone: 'text' }, people)}
    where u.id = r.id and (u.name_key, u.email_key, u.phone) is distinct from (r.name_key, r.email_key, r.phone)`
  // Replaces Argon2 hashes that a sign-in during the rehearsal stored, because the password may have changed in the source.
  await upsert(tx, 'users', PERSON_COLUMNS, people)
  await tx`insert into user_counts (user_id) select unnest(${ids}::bigint[]) on conflict do nothing`
  await wantAvatars(tx, rows)
}

async function wantAvatars(tx: Tx, rows: Row[]): Promise<void> {
  for (const column of ['avatar', 'bg'] as const) {
    const pictures = rows.flatMap(({ [column]: node, id }) =>
      node ? [{ id: id ?? 0, ownerId: id ?? 0, ...nodePicture(node) }] : [],
    )
    await wantPictures(
      tx,
      `users.${column}`,
      rows.map(({ id }) => id ?? 0),
      pictures,
    )
  }
}

/** Holders of the role `founder` in a range of ids. */
const foundersIn = (sql: Db, { from, to }: Range): Fragment => sql`
  u.id >= ${from} and u.id < ${to} and u.deleted_at is null and exists (
    select from user_roles x join roles r on r.id = x.role_id where x.user_id = u.id and r.name = 'founder')`

const CONTACTS = 'contacts of founders'

/** Frees unique names and contacts. Keeps those of founders, because the source may lack one who became it here. */
async function freeContacts(tx: Tx, range: Range): Promise<void> {
  await addTargets(
    tx,
    tx`select ${CONTACTS}, u.id, json_build_object('email', u.email, 'phone', u.phone) from users u
      where ${foundersIn(tx, range)} and u.name_key <> 'moving ' || u.id`,
  )
  await tx`
    update users set name_key = 'moving ' || id, email = null, email_key = null, phone = null
    where id >= ${Math.max(range.from, 1)} and id < ${range.to}`
}

/**
 * Disables users whose rows vanished, and removes the roles that they had in the source. Their content stays. Users who
 * became founders here stay too, because the site needs an administrator.
 */
async function disableFormer(tx: Tx, range: Range, rows: SourceRow[]): Promise<string[]> {
  const { from, to } = range
  const ids = rows.map(({ id }) => Number(id ?? 0))
  const former = await addTargets(
    tx,
    tx`select ${FORMER}, id, '' from users
      where id >= ${from} and id < ${to} and id > 0 and not id = any(${ids}::bigint[])`,
  )
  await addFacts(tx, FORMER, FORMER, former)
  await tx`
    delete from user_roles x using roles r, (${allTargets(tx)}) m, (${allTargets(tx)}) f
    where r.id = x.role_id and m.source_table = 'role ' || r.name and m.source_id = x.user_id
      and f.source_table = ${FORMER} and f.source_id = x.user_id and x.user_id >= ${from} and x.user_id < ${to}`
  const gone = await tx<{ id: number }[]>`
    update users u set deleted_at = now() where id >= ${from} and id < ${to} and deleted_at is null
      and not id = any(${ids}::bigint[]) and not (${foundersIn(tx, range)})
    returning id`
  await restoreContacts(tx, range, ids)
  return gone.map(({ id }) => String(id))
}

/** Restores what `freeContacts` took from founders whom the source lacks, unless others have it by now. */
async function restoreContacts(tx: Tx, range: Range, ids: number[]): Promise<void> {
  const founders = await tx<{ id: number; name: string; contacts: string | null }[]>`
    select u.id, u.name, (
      select target from (${allTargets(tx)}) c where source_table = ${CONTACTS} and source_id = u.id) as contacts
    from users u where ${foundersIn(tx, range)} and u.name_key = 'moving ' || u.id and not u.id = any(${ids}::bigint[])`
  for (const { id, name: given, contacts } of founders) {
    const taken = await heldNames(tx, [nameKey(given)], [id])
    const name = taken.size === 0 ? given : `${given}_${id}`
    const { email, phone } = JSON.parse(contacts ?? '{}') as { email?: string | null; phone?: string | null }
    await tx`update users set name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)} where id = ${id}`
    const key = email ? normalizeEmail(email) : null
    await tx`
      update users set email = ${email ?? null}, email_key = ${key}
      where id = ${id} and not exists (select from users o where o.email_key = ${key})`
    await tx`
      update users set phone = ${phone ?? null}
      where id = ${id} and not exists (select from users o where o.phone = ${phone ?? null})`
  }
  await dropTargetsOf(tx, tx`${CONTACTS}`, range)
}

export const users = defineTable({
  table: 'users',
  by: 'id',
  width: 1000,
  into: [
    {
      table: 'users',
      // Excludes password hashes from the report. Excludes pictures too, because a later step copies them.
      columns: { password: null, avatar: null, bg: null },
    },
  ],
  key: ['id'],
  gone: all(
    custom('hide', { before: freeContacts, after: disableFormer }),
    withoutPictures('users.avatar', 'users.bg'),
  ),
  reread: 'whole',
  states: existing('users', 'users', (sql) => sql`created_at`),
  columns: PEOPLE,
  batch: 500,
  write: writePeople,
})

/** Runs after the import of check-ins, which determine `checkin_count`. */
export const extras = defineTable({
  table: 'user_extras',
  by: 'user_id',
  width: 2000,
  into: [
    {
      table: 'user_counts',
      key: { user_id: 'user_id' },
      columns: { checkin_count: null },
    },
  ],
  key: ['user_id'],
  gone: custom('reset', {
    before: (tx, { from, to }) => tx`
      update user_counts set last_checkin_count = 0 where user_id >= ${from} and user_id < ${to} and last_checkin_count > 0`,
  }),
  reread: 'always',
  columns: { user_id: 'int', checkin_count: 'int', last_checkin_count: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const best = new Map<number, (typeof rows)[number]>()
    for (const row of rows) {
      const id = row.user_id ?? 0
      const other = best.get(id)
      if (!people.has(id)) batch.leaveOut(row, 'the user no longer exists')
      else if (other && (other.last_checkin_count ?? 0) >= (row.last_checkin_count ?? 0))
        batch.merge(row, 'duplicate row of the same user')
      else {
        if (other) batch.merge(other, 'duplicate row of the same user')
        best.set(id, row)
      }
    }
    const given = [...best.values()]
    const counted = await tx<{ id: number; days: number }[]>`
      select user_id as id, count(*) as days from checkin_logs where user_id = any(${[...best.keys()]}) group by 1`
    const days = new Map(counted.map((row) => [row.id, row.days]))
    for (const [id, row] of best)
      if ((row.checkin_count ?? 0) !== (days.get(id) ?? 0))
        batch.mend(row, 'recounted from check-ins', {
          column: 'checkin_count',
          new: days.get(id) ?? 0,
        })
    await tx`
      update user_counts c set last_checkin_count = greatest(coalesce(r.last_checkin_count, 0), 0)
      from ${relation(tx, { user_id: 'bigint', last_checkin_count: 'bigint' }, given)}
      where c.user_id = r.user_id and c.last_checkin_count is distinct from greatest(coalesce(r.last_checkin_count, 0), 0)`
  },
})
