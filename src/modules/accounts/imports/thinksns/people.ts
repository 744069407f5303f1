import { isEmail, loginKind, normalizeEmail } from '#lib/identifiers.ts'
import { isPhone, normalizePhone } from '#lib/phones.ts'
import { grams, isBlank, nameKey } from '#lib/text.ts'
import { NUMBERED_EXTENSIONS, numberedPath } from '#lib/thinksns.ts'
import { nodePicture, wantPictures } from '#modules/files/index.ts'
import type { Tx } from '#platform/database.ts'
import { type Batch, defineTable, type Outcomes, type SourceRow } from '#platform/database-import/table.ts'
import { TIME_COLUMNS, TIMES } from '#platform/database-import/times.ts'
import { relation, upsert } from '#platform/database-import/write.ts'

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

const KNOWN_HASH = /^\$(2[abxy]\$\d\d\$.{53}|argon2(i|id)\$.+)$/

/** A name that shows something and is taken for nothing else at sign-in; the name of one row only. */
function nameOf(row: Row, taken: Set<string>, outcomes: Outcomes): string {
  const id = row.id ?? 0
  let name = (row.name ?? '').trim()
  if (name === '' || isBlank(name) || nameKey(name) === '') {
    name = `user_${id}`
    outcomes.mend(row, 'without a name: called user_ID')
  } else if (loginKind(name).kind !== 'name') {
    name = `_${name}`
    outcomes.mend(row, 'a name that reads as a number or an address: an underscore before it')
  }
  if (taken.has(nameKey(name))) {
    name = `${name}_${id}`
    outcomes.mend(
      row,
      'the name is that of somebody else but for case, width or invisible characters: the id after it',
    )
  }
  taken.add(nameKey(name))
  return name
}

/** A contact that nobody else has. */
function contactOf(
  row: Row,
  kind: 'email' | 'phone',
  taken: Set<string>,
  outcomes: Outcomes,
): { value: string; key: string } | null {
  const value = row[kind]?.trim() ?? ''
  if (value === '') return null
  if (kind === 'email' && !isEmail(value)) {
    outcomes.mend(row, 'what stands for an e-mail address is none: left empty')
    return null
  }
  const key = kind === 'email' ? normalizeEmail(value) : isPhone(value) ? normalizePhone(value) : value
  if (taken.has(key)) {
    outcomes.mend(row, `somebody else has the same ${kind}: left empty`)
    return null
  }
  taken.add(key)
  return { value: kind === 'email' ? value : key, key }
}

/** What people outside this batch hold of unique columns. */
async function held(tx: Tx, column: 'name_key' | 'email_key' | 'phone', keys: string[], ids: number[]) {
  const rows = await tx<{ key: string }[]>`
    select ${tx(column)} as key from users where ${tx(column)} = any(${keys}) and not id = any(${ids})`
  return new Set(rows.map(({ key }) => key))
}

async function writePeople(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const ids = rows.map(({ id }) => id ?? 0)
  const names = rows.flatMap(({ id, name }) => [
    nameKey(name ?? ''),
    nameKey(`_${name}`),
    nameKey(`${name?.trim()}_${id}`),
    `user_${id}`,
  ])
  const takenNames = await held(tx, 'name_key', names, ids)
  const takenEmails = await held(
    tx,
    'email_key',
    rows.map(({ email }) => normalizeEmail(email?.trim() ?? '')),
    ids,
  )
  const takenPhones = await held(
    tx,
    'phone',
    rows.map(({ phone }) => (isPhone(phone?.trim() ?? '') ? normalizePhone(phone ?? '') : (phone ?? ''))),
    ids,
  )
  const people = rows.map((row) => {
    const name = nameOf(row, takenNames, batch)
    const email = contactOf(row, 'email', takenEmails, batch)
    const phone = contactOf(row, 'phone', takenPhones, batch)
    const password = row.password === '' ? null : row.password
    const known = password === null || KNOWN_HASH.test(password)
    if (!known) batch.mend(row, 'the password is kept in a form that nobody can check: a new one is needed')
    if (email === null && phone === null && (password === null || !known))
      batch.mend(row, 'has neither e-mail nor phone nor password: only an administrator lets them in again')
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
      // What an old version has was proved by a code.
      email_verified_at: email === null ? null : (row.email_verified_at ?? created),
      phone_verified_at: phone === null ? null : (row.phone_verified_at ?? created),
      deleted_at: row.deleted_at,
      created_at: created,
      updated_at: row.updated_at ?? created,
    }
  })
  // Two people may have exchanged what is unique since the last run.
  await tx`
    update users u set name_key = 'moving ' || u.id, email = null, email_key = null, phone = null
    from ${relation(tx, { id: 'bigint', name_key: 'text', email_key: 'text', phone: 'text' }, people)}
    where u.id = r.id and (u.name_key, u.email_key, u.phone) is distinct from (r.name_key, r.email_key, r.phone)`
  // Whoever signed in here has a password of ours by now, which is the same one.
  await upsert(tx, 'users', PERSON_COLUMNS, people, { keep: ['password'] })
  await tx`
    update users u set password = r.password from ${relation(tx, { id: 'bigint', password: 'text' }, people)}
    where u.id = r.id and u.password is distinct from r.password
      and (u.password is null or u.password not like '$argon2id$%' or r.password like '$argon2id$%')`
  await tx`insert into user_counts (user_id) select unnest(${ids}::bigint[]) on conflict do nothing`
  // Everybody takes part, as if they had registered.
  await tx`
    insert into user_roles (user_id, role_id)
    select p.id, r.id from unnest(${ids}::bigint[]) as p (id), roles r where r.name = 'owner'
    on conflict do nothing`
  await wantAvatars(tx, rows, batch)
}

/** Avatars and backgrounds by their path; those of old versions are where the id says. */
async function wantAvatars(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  for (const [column, folder] of [
    ['avatar', 'avatars'],
    ['bg', 'user-bg'],
  ] as const) {
    const pictures = rows.flatMap((row) => {
      const node = row[column]
      const id = row.id ?? 0
      return node ? [{ id, ownerId: id, ...nodePicture(node) }] : []
    })
    const rest = rows.filter((row) => !row[column])
    for (const { id } of rest) {
      const path = await findNumbered(batch, folder, id ?? 0)
      if (path) pictures.push({ id: id ?? 0, ownerId: id ?? 0, ...nodePicture(path) })
    }
    await wantPictures(
      tx,
      `users.${column}`,
      rows.map(({ id }) => id ?? 0),
      pictures,
    )
  }
}

async function findNumbered(batch: Batch, folder: string, id: number): Promise<string | undefined> {
  // Most installations have none of them, which one look tells.
  const known = `${folder} exists`
  if (!batch.memory.has(known)) batch.memory.set(known, await batch.files.hasFolder(folder))
  if (!batch.memory.get(known)) return undefined
  for (const extension of NUMBERED_EXTENSIONS) {
    const path = `${folder}/${numberedPath(id)}.${extension}`
    if (await batch.files.has(path)) return path
  }
  return undefined
}

/** People, with the password that they had. */
export const users = defineTable({
  table: 'users',
  by: 'id',
  width: 1000,
  key: ['id'],
  columns: PEOPLE,
  batch: 500,
  write: writePeople,
  // Deleted for good there. Here their words stay, without an author.
  sweep: (tx, { from, to }, rows) => tx`
    update users set deleted_at = now() where id >= ${from} and id < ${to} and deleted_at is null
      and not id = any(${rows.map(({ id }) => id ?? 0)})`,
})

/** How often in a row people checked in, of which there may be several rows. */
export const extras = defineTable({
  table: 'user_extras',
  by: 'user_id',
  width: 2000,
  key: ['user_id'],
  columns: { user_id: 'int', last_checkin_count: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const best = new Map<number, (typeof rows)[number]>()
    for (const row of rows) {
      const id = row.user_id ?? 0
      const other = best.get(id)
      if (!people.has(id)) batch.leaveOut(row, 'the person is gone')
      else if (other && (other.last_checkin_count ?? 0) >= (row.last_checkin_count ?? 0))
        batch.merge(row, 'a second row of the same person')
      else {
        if (other) batch.merge(other, 'a second row of the same person')
        best.set(id, row)
      }
    }
    const given = [...best.values()]
    await tx`
      update user_counts c set last_checkin_count = greatest(coalesce(r.last_checkin_count, 0), 0)
      from ${relation(tx, { user_id: 'bigint', last_checkin_count: 'bigint' }, given)}
      where c.user_id = r.user_id and c.last_checkin_count is distinct from coalesce(r.last_checkin_count, 0)`
  },
})
