import { createHash } from 'node:crypto'
import { type Db, type Sql, type Tx, transaction } from '#platform/database'

const BATCH = 1000

const LOCK = 7_180_180

const START: Buffer = Buffer.alloc(32)

/**
 * Last link of the audit chain. A copy on another system reveals later changes of the records up to this
 * link.
 */
export type Anchor = { position: number; hash: string }

/** Selects the fields of a record that survive erasure, in the form that the chain hashes. */
const header = (sql: Db) => sql`
  case when a.id is not null then jsonb_build_array(a.id, a.user_id, a.action, a.subject_type, a.subject_id, a.request_id,
    (extract(epoch from a.created_at) * 1000000)::bigint)::text end`

const hashOf = (previous: Buffer, head: string, content: string): Buffer =>
  createHash('sha256').update(previous).update(head).update(Buffer.from(content, 'hex')).digest()

export async function findAnchor(sql: Db): Promise<Anchor | undefined> {
  const [row] = await sql<Anchor[]>`
    select chain_position as position, encode(chain_hash, 'hex') as hash from audit_links
    where chain_position is not null order by chain_position desc limit 1`
  return row
}

async function linkBatch(tx: Tx): Promise<number> {
  await tx`select pg_advisory_xact_lock(${LOCK})`
  const rows = await tx<{ id: number; head: string; content: string }[]>`
    select a.id, ${header(tx)} as head, encode(l.content_hash, 'hex') as content
    from audit_links l join audit_log a on a.id = l.entry_id
    where l.chain_position is null order by l.entry_id limit ${BATCH}`
  if (rows.length === 0) return 0
  const anchor = await findAnchor(tx)
  let previous: Buffer = anchor ? Buffer.from(anchor.hash, 'hex') : START
  const links = rows.map(({ id, head, content }, at) => {
    previous = hashOf(previous, head, content)
    return { id, position: (anchor?.position ?? 0) + at + 1, hash: previous.toString('hex') }
  })
  await tx`
    update audit_links l set chain_position = given.position, chain_hash = decode(given.hash, 'hex')
    from jsonb_to_recordset(${tx.json(links as never)}) as given (id bigint, position bigint, hash text)
    where l.entry_id = given.id`
  return rows.length
}

/** Links records only after their commit, because transactions do not commit in the order of the record ids. */
export async function linkAuditRecords(sql: Sql): Promise<void> {
  while ((await transaction(sql, linkBatch)) === BATCH);
}

type Link = {
  entry_id: number
  position: number
  head: string | null
  hash: string
  content: string
  isIntact: boolean | null
}

export type ChainReport = {
  records: number
  waiting: number
  redacted: number
  anchor: Anchor | undefined
  faults: string[]
}

/** Recomputes all hashes and compares them with the stored hashes and the anchors. Reports at most 20 faults. */
export async function verifyAuditChain(sql: Db, anchors: readonly Anchor[] = []): Promise<ChainReport> {
  const faults: string[] = []
  const hashes = new Map(anchors.map((anchor) => [anchor.position, anchor.hash]))
  let previous = START
  let last = 0
  for (;;) {
    const links = await sql<Link[]>`
      select l.entry_id, l.chain_position as position, ${header(sql)} as head,
        encode(l.chain_hash, 'hex') as hash, encode(l.content_hash, 'hex') as content,
        case when a.content_redacted_at is not null then a.before is null and a.after is null
          else l.content_hash = audit_content_hash(l.content_salt, a.before, a.after) end as "isIntact"
      from audit_links l left join audit_log a on a.id = l.entry_id
      where l.chain_position > ${last} order by l.chain_position limit ${BATCH}`
    for (const { entry_id: id, position, head, hash, content, isIntact } of links) {
      if (position !== last + 1) faults.push(`positions ${last + 1} to ${position - 1} are missing`)
      if (head === null) faults.push(`record ${id} was deleted`)
      else if (!isIntact) faults.push(`the content of record ${id} was changed`)
      if (head !== null && hashOf(previous, head, content).toString('hex') !== hash)
        faults.push(`record ${id} at position ${position} does not continue the chain`)
      if (hashes.has(position) && hashes.get(position) !== hash)
        faults.push(`position ${position} differs from the anchor`)
      previous = Buffer.from(hash, 'hex')
      last = position
    }
    if (links.length < BATCH || faults.length > 20) break
  }
  for (const { position } of anchors)
    if (position > last) faults.push(`the anchor at position ${position} is beyond the end of the chain`)
  const [counts] = await sql<[{ records: number; waiting: number; redacted: number; unhashed: number }]>`
    select count(*)::int as records, count(*) filter (where l.chain_position is null)::int as waiting,
      count(a.content_redacted_at)::int as redacted, count(*) filter (where l.entry_id is null)::int as unhashed
    from audit_log a left join audit_links l on l.entry_id = a.id`
  const { records, waiting, redacted, unhashed } = counts
  if (unhashed > 0) faults.push(`${unhashed} records are not part of the chain`)
  return { records, waiting, redacted, anchor: await findAnchor(sql), faults: faults.slice(0, 20) }
}

/**
 * Preserves the hashes of redacted records, so that the chain stays valid. Deletes the salt, without which
 * the content cannot be guessed from the hash.
 */
export async function redactAuditOf(tx: Tx, userId: number): Promise<void> {
  const owned = tx.json({ user_id: userId } as never)
  await tx`
    with redacted as (
      update audit_log set before = null, after = null, content_redacted_at = now()
      where content_redacted_at is null and (before is not null or after is not null)
        and ((subject_type = 'users' and subject_id = ${String(userId)})
          or before @> ${owned} or after @> ${owned})
      returning id
    )
    update audit_links set content_salt = null where entry_id in (select id from redacted)`
}
