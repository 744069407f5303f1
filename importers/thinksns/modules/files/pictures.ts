import { createHash } from 'node:crypto'
import { cleanMedia, inspectMedia, type Media, MediaError, nodeKey, parseNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Row } from '#platform/database'
import type { FileSource, SourceBytes } from '../../database/files.ts'
import { pruneNotes } from '../../database/state.ts'
import type { ImportStep } from '../../database/table.ts'
import { relation, upsert } from '../../database/write.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function nodePicture(named: string): { node: string; path: string } {
  const path = named.slice(named.indexOf(':') + 1).replace(/^\/+/, '')
  const node = parseNode(`public:${path}`)
  if (node !== null) return { node, path }
  const digest = createHash('sha512').update(path).digest()
  const letters = Array.from(digest, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const extension = /\.([a-z]{3,4})$/.exec(path.toLowerCase())?.[1] ?? 'png'
  return { node: `public:2000/01/01/${letters}.${extension}`, path }
}

/** Whether a row of `import_pictures` stems from a file that the old site named by an id. */
export const isNumbered = (sql: Db, path: Fragment = sql`path`): Fragment =>
  sql`${path} ~ '^(avatars|user-bg|group-avatars)/[0-9]{3}/[0-9]{3}/[0-9]{3}/[0-9]{2,}[.]'`

export type WantedPicture = { id: number; ownerId: number; node: string; path: string }

export async function wantPictures(
  sql: Db,
  place: string,
  ids: number[],
  pictures: WantedPicture[],
): Promise<void> {
  await sql`
    delete from import_pictures where place = ${place} and id = any(${ids})
      and not id = any(${pictures.map(({ id }) => id)}) and not ${isNumbered(sql)}`
  const rows = pictures.map(({ id, ownerId, node, path }) => ({ place, id, owner_id: ownerId, node, path }))
  const columns = { place: 'text', id: 'bigint', owner_id: 'bigint', node: 'text', path: 'text' }
  await upsert(sql, 'import_pictures', columns, rows, { key: ['place', 'id'] })
}

export async function applyPictures(sql: Db, place: string, table: string, column: string): Promise<void> {
  const shown = sql(column)
  await sql`
    update ${sql(table)} t set ${shown} = jsonb_build_object('node', n.node, 'mime', n.mime, 'size', n.size,
      'width', n.width, 'height', n.height)
    from import_pictures p join storage_nodes n on n.node = p.node
    where p.place = ${place} and t.id = p.id and (t.${shown} ->> 'node') is distinct from p.node`
  await sql`
    update ${sql(table)} t set ${shown} = null
    where ${shown} is not null and not exists (
      select from import_pictures p where p.place = ${place} and p.id = t.id and p.node = (t.${shown} ->> 'node'))`
}

export const listPictures = (sql: Db, place: string) => sql<{ id: number; owner_id: number; node: string }[]>`
  select p.id, p.owner_id, p.node from import_pictures p
  join storage_nodes n on n.node = p.node where p.place = ${place} order by p.id`

export async function usePicture(
  sql: Db,
  { node, ownerId, channel, raw }: { node: string; ownerId: number; channel: string; raw: number },
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    with file as (
      insert into files (owner_id, sha256, md5, storage_key, mime, size, width, height)
      select ${ownerId}, sha256(convert_to(${node}, 'UTF8')), md5, ${nodeKey(node)}, mime, size, width, height
      from storage_nodes where node = ${node}
      on conflict (owner_id, sha256) do update set uploaded_at = excluded.uploaded_at returning id
    )
    insert into file_uses (file_id, owner_id, channel, raw, attached_at)
    select id, ${ownerId}, ${channel}, ${raw}, now() from file returning id`
  return row?.id
}

export type Stored = {
  bytes: Buffer
  media: Media
  damaged: boolean
  /**
   * Hashes of the original bytes, by which clients find earlier uploads. The stored bytes differ, because the
   * import removes metadata.
   */
  sent: { md5: string; sha256: string }
}

export const readMedia = (
  files: FileSource,
  path: string,
  use: (found: Stored | string) => Promise<void>,
): Promise<void> => files.read(path, async (bytes) => use(await lookAt(bytes)))

const MISSING = 'the file is missing from the storage folder'

async function lookAt(bytes: SourceBytes): Promise<Stored | string> {
  if (bytes === 'missing') return MISSING
  if (bytes === 'too large') return 'more than 512 MB'
  if (bytes.length === 0) return 'the file is empty'
  try {
    const media = await inspectMedia(bytes)
    if (!media) return 'unsupported file type'
    const cleaned = await Promise.resolve(cleanMedia(bytes, media)).catch((error) => {
      if (error instanceof MediaError && error.fault !== 'busy') return null
      throw error
    })
    const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex')
    const sent = { md5: hash('md5'), sha256: hash('sha256') }
    return { bytes: cleaned ?? bytes, media, damaged: cleaned === null, sent }
  } catch (error) {
    if (error instanceof MediaError && error.fault !== 'busy') return 'damaged, or more than 50 megapixels'
    throw error
  }
}

export const DAMAGED = 'damaged: kept as it is'
const AT_ONCE = 50
const SIDE_BY_SIDE = 4

export async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
    }),
  )
}

type Wanted = Row<'import_pictures', 'place' | 'id' | 'owner_id' | 'node' | 'path'>
type Uploaded = Wanted & {
  md5: string
  mime: string
  size: number
  width: number | null
  height: number | null
}

async function keepPicture(
  { storage }: Context,
  dryRun: boolean,
  wanted: Wanted,
  { bytes, media, sent }: Stored,
): Promise<Uploaded> {
  if (!dryRun) await storage.put(nodeKey(wanted.node), bytes, { mime: media.mime })
  const { mime, width, height } = media
  return { ...wanted, md5: sent.md5, mime, size: bytes.length, width, height }
}

export const copyPictures: ImportStep = {
  name: 'pictures',
  keeps: true,
  async run({ ctx, files, options, transaction, note, forget, saveNotes, progress }) {
    let [place, id, done] = ['', 0, 0]
    await transaction(async (tx) => {
      await pruneNotes(tx, 'pictures', tx`select concat(place, ' ', id) from import_pictures`)
      // A group may have another owner than in the run that copied its picture.
      await tx`
        update storage_nodes n set owner_id = p.owner_id from (
          select distinct on (node) node, owner_id from import_pictures order by node, place, id) p
        where n.node = p.node and n.owner_id <> p.owner_id`
    })
    for (;;) {
      const rows = await transaction(
        (tx) => tx<Wanted[]>`
          select p.place, p.id, p.owner_id, p.node, p.path from import_pictures p
          where (p.place, p.id) > (${place}, ${id}) and not exists (
            select from storage_nodes n where n.node = p.node)
          order by p.place, p.id limit ${AT_ONCE}`,
      )
      const last = rows.at(-1)
      if (!last) return
      ;[place, id] = [last.place, last.id]
      const uploaded: Uploaded[] = []
      forget(rows.map((wanted) => `${wanted.place} ${wanted.id}`))
      await inParallel(rows, async (wanted) => {
        const key = `${wanted.place} ${wanted.id}`
        await readMedia(files, wanted.path, async (found) => {
          if (typeof found === 'string') return note(key, found)
          if (found.media.kind !== 'image') return note(key, 'not a picture')
          if (found.damaged) await note(key, DAMAGED)
          uploaded.push(await keepPicture(ctx, options.dryRun, wanted, found))
        })
      })
      const columns = {
        node: 'text',
        owner_id: 'bigint',
        md5: 'text',
        mime: 'text',
        size: 'bigint',
        width: 'int',
        height: 'int',
      }
      await transaction(async (tx) => {
        await saveNotes(tx)
        await tx`
          insert into storage_nodes (node, owner_id, md5, declared_size, mime, size, width, height, uploaded_at, used_at)
          select distinct on (node) node, owner_id, decode(md5, 'hex'), size, mime, size, width, height, now(), now()
          from ${relation(tx, { place: 'text', id: 'bigint', ...columns }, uploaded)} order by node, place, id
          on conflict (node) do nothing`
      })
      done += rows.length
      progress(`${done}`)
    }
  },
}
