import { createHash } from 'node:crypto'
import type { Tx } from '#platform/database'
import { addJob } from '#platform/jobs'
import { orNone } from '../../database/changes.ts'
import { pruneNotes, replaceNotes } from '../../database/state.ts'
import { defineTable, type ImportStep, type StepContext } from '../../database/table.ts'
import { all, existing, removed } from '../../database/vanishing.ts'
import { relation, upsert } from '../../database/write.ts'
import { DAMAGED, inParallel, readMedia } from './pictures.ts'
import { claimForSource, SOURCE_PLACE, unclaimed } from './uses.ts'

const contents = defineTable({
  table: 'files',
  by: 'id',
  into: [{ table: 'import_files', columns: { filename: 'path', width: orNone, height: orNone } }],
  key: ['id'],
  gone: removed('import_files'),
  states: existing('contents', 'import_files', (sql) => sql`concat_ws(' ', path, mime, width, height)`),
  columns: { id: 'int', filename: 'text', mime: 'text', width: 'int', height: 'int' },
  async write(tx, rows) {
    const given = rows.map(({ id, filename, mime, width, height }) => ({
      id,
      path: (filename ?? '').replace(/^\/+/, ''),
      mime: mime ?? 'application/octet-stream',
      width: width ? Math.floor(width) : null,
      height: height ? Math.floor(height) : null,
    }))
    const columns = { id: 'bigint', path: 'text', mime: 'text', width: 'int', height: 'int' }
    await upsert(tx, 'import_files', columns, given)
  },
})

const CHANNELS: Record<string, string | undefined> = {
  'news:storage': 'news:image',
  'question-answers:images': 'answer:images',
  'group:post:image': 'group:post',
  'news:recommend:cover': undefined,
  'client:file:apk': undefined,
}
const DAY = 86_400_000
const NO_CONTENT = Buffer.alloc(16)

/**
 * Returns a placeholder hash for an upload whose file is not copied yet. The id makes each placeholder
 * unique.
 */
const emptyHash = (id: number) => createHash('sha256').update(`content ${id} of the source`).digest('hex')
const waitingKey = (id: number, ownerId: number) => `imported/waiting/${id}-${ownerId}`

const uses = defineTable({
  table: 'file_withs',
  by: 'id',
  into: [
    {
      table: 'file_uses',
      columns: {
        file_id: null,
        deleted_at: null,
        user_id: 'owner_id',
        channel: { as: (name) => (typeof name === 'string' && name in CHANNELS ? CHANNELS[name] : name) },
      },
    },
  ],
  key: ['id'],
  gone: all(unclaimed(SOURCE_PLACE), removed('file_uses')),
  reads: { users: ['user_id'], contents: ['file_id'] },
  states: (sql, { from, to }) => sql`
    select 'uses' as kind, id, concat_ws(' ', file_id, owner_id, channel, raw) as fact from file_uses
    where id >= ${from} and id < ${to}
    union all
    select 'files of ' || split_part(channel, ':', 1), raw, concat_ws(' ', id, file_id, channel) from file_uses
    where id >= ${from} and id < ${to} and raw is not null and channel is not null
    union all
    select 'files of news', c.place_id, concat_ws(' ', u.id, u.file_id) from import_claims c
    join file_uses u on u.id = c.use_id where c.place = 'news' and u.id >= ${from} and u.id < ${to}`,
  columns: {
    id: 'int',
    file_id: 'int',
    user_id: 'int',
    channel: 'text',
    raw: 'int',
    deleted_at: 'time',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const ids = [...new Set(rows.map(({ file_id }) => file_id ?? 0))]
    const found = await tx<{ id: number; mime: string; width: number | null; height: number | null }[]>`
      select id, mime, width, height from import_files where id = any(${ids})`
    const known = new Map(found.map((row) => [row.id, row]))
    const files = new Map<string, object>()
    const kept = rows.flatMap((row) => {
      const { file_id, user_id, channel, raw } = row
      const content = known.get(file_id ?? 0)
      const used = channel !== null && channel in CHANNELS ? CHANNELS[channel] : channel
      if (!content) batch.leaveOut(row, 'the content no longer exists')
      else if (!people.has(user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else if (channel && used === undefined) batch.leaveOut(row, 'unsupported use of a file')
      else {
        files.set(`${file_id} ${user_id}`, {
          content: content.id,
          owner_id: user_id,
          hash: emptyHash(content.id),
          key: waitingKey(content.id, user_id ?? 0),
          mime: content.mime,
          width: content.width,
          height: content.height,
        })
        const created = row.created_at ?? new Date(0).toISOString()
        // Marks old unattached uploads as imported, because cleanup would delete uploads that only a text
        // embeds.
        const isRecent = Date.now() - Date.parse(created) < DAY
        const place = used || (isRecent ? null : 'imported')
        return [
          {
            id: row.id,
            hash: emptyHash(content.id),
            content: content.id,
            owner_id: user_id,
            channel: place,
            raw: used ? raw : null,
            created_at: created,
            attached_at: place === null ? null : created,
          },
        ]
      }
      return []
    })
    const fileColumns = {
      content: 'bigint',
      owner_id: 'bigint',
      hash: 'text',
      key: 'text',
      mime: 'text',
      width: 'int',
      height: 'int',
    }
    await tx`
      with made as (
        insert into files (owner_id, sha256, md5, storage_key, mime, size, width, height)
        select owner_id, decode(hash, 'hex'), ${NO_CONTENT}, key, mime, 0, width, height
        from ${relation(tx, fileColumns, [...files.values()])}
        where not exists (
          select from import_uploads u where u.content_id = r.content and u.owner_id = r.owner_id)
        returning id, owner_id, storage_key
      )
      insert into import_uploads (content_id, owner_id, file_id)
      select split_part(split_part(storage_key, '/', 3), '-', 1)::bigint, owner_id, id from made`
    const useColumns = {
      id: 'bigint',
      content: 'bigint',
      owner_id: 'bigint',
      channel: 'text',
      raw: 'bigint',
      created_at: 'timestamptz',
      attached_at: 'timestamptz',
    }
    await tx`
      insert into file_uses as u (id, file_id, owner_id, channel, raw, created_at, attached_at)
      select r.id, t.file_id, r.owner_id, r.channel, r.raw, r.created_at, r.attached_at
      from ${relation(tx, useColumns, kept)}
      join import_uploads t on t.content_id = r.content and t.owner_id = r.owner_id
      on conflict (id) do update set file_id = excluded.file_id, owner_id = excluded.owner_id,
        channel = coalesce(excluded.channel, case u.channel when 'imported' then u.channel end), raw = excluded.raw,
        created_at = excluded.created_at,
        attached_at = coalesce(excluded.attached_at, case u.channel when 'imported' then u.attached_at end)
      where (u.file_id, u.owner_id, u.channel, u.raw, u.created_at)
        is distinct from (excluded.file_id, excluded.owner_id, excluded.channel, excluded.raw, excluded.created_at)`
    await claimForSource(tx, kept)
  },
})

const AT_ONCE = 50
type Waiting = {
  id: number
  owner_id: number
  content: number
  path: string
}

/** Has content be read again whose files came later than the content, because it stores their sizes and kinds. */
async function tellUses(
  transaction: StepContext['transaction'],
  changed: StepContext['changed'],
  files: number[],
): Promise<void> {
  const found = await transaction(
    (tx) => tx<{ id: number; kind: string; raw: number | null }[]>`
      select id, 'files of ' || split_part(channel, ':', 1) as kind, raw from file_uses where file_id = any(${files})`,
  )
  await changed(
    'uses',
    found.map(({ id }) => id),
  )
  for (const [kind, uses] of Map.groupBy(found, (each) => each.kind))
    await changed(
      kind,
      uses.flatMap(({ raw }) => raw ?? []),
    )
}

const REMOVED_AT_ONCE = 500

/** Drops contents whose uploads the source removed. The server deletes their bytes later, if nothing uses them by then. */
async function dropUnused(tx: Tx): Promise<void> {
  const gone = await tx<{ id: number }[]>`
    with gone as (
      delete from import_uploads u where not exists (select from file_uses x where x.file_id = u.file_id)
      returning file_id
    ),
    empty as (delete from files f using gone g where f.id = g.file_id and f.size = 0 returning f.id)
    select file_id as id from gone where not file_id in (select id from empty)`
  for (let at = 0; at < gone.length; at += REMOVED_AT_ONCE)
    await addJob(tx, 'remove_files', { ids: gone.slice(at, at + REMOVED_AT_ONCE).map(({ id }) => id) })
}

/** Notes what the source says of copied files, and their bytes do not. Each run does so, because the source may change it. */
const noteDifferences = (tx: Tx) =>
  replaceNotes(
    tx,
    { step: 'bytes of files', reason: 'differs from the stored bytes' },
    tx`
      select concat('file ', i.id, ' of user ', f.owner_id) as key, d.name, d.was, d.became
      from import_uploads u join import_files i on i.id = u.content_id join files f on f.id = u.file_id and f.size > 0,
        lateral (values
          ('mime', to_jsonb(i.mime), to_jsonb(f.mime)), ('width', to_jsonb(i.width), to_jsonb(f.width)),
          ('height', to_jsonb(i.height), to_jsonb(f.height))
        ) d (name, was, became)
      where d.was is distinct from d.became`,
  )

export const copyUploads: ImportStep = {
  name: 'bytes of files',
  keeps: true,
  async run({ ctx, files, options, transaction, changed, note, forget, saveNotes, progress }) {
    let [last, done] = [0, 0]
    await transaction(dropUnused)
    await transaction((tx) =>
      pruneNotes(
        tx,
        'bytes of files',
        tx`select concat('file ', content_id, ' of user ', owner_id) from import_uploads`,
      ),
    )
    for (;;) {
      const rows = await transaction(
        (tx) => tx<Waiting[]>`
          select f.id, f.owner_id, i.id as content, i.path
          from import_uploads u join files f on f.id = u.file_id and f.size = 0 join import_files i on i.id = u.content_id
          where u.file_id > ${last} order by u.file_id limit ${AT_ONCE}`,
      )
      if (rows.length === 0) break
      last = rows.at(-1)?.id ?? last
      const stored: object[] = []
      const nameOf = (content: number, ownerId: number) => `file ${content} of user ${ownerId}`
      forget(rows.map(({ content, owner_id }) => nameOf(content, owner_id)))
      await inParallel(rows, async ({ id, owner_id: ownerId, content, path }) => {
        const name = nameOf(content, ownerId)
        await readMedia(files, path, async (found) => {
          if (typeof found === 'string') return note(name, found)
          if (found.damaged) await note(name, DAMAGED)
          const { bytes, media, sent } = found
          const key = `imported/${Math.floor(content / 1000)}/${content}-${ownerId}.${media.extension}`
          if (!options.dryRun) await ctx.storage.put(key, bytes, { mime: media.mime })
          const { mime, width, height } = media
          const { sha256, md5 } = sent
          const size = bytes.length
          stored.push({ id, owner_id: ownerId, key, sha256, md5, mime, size, width, height })
        })
      })
      await transaction(async (tx) => {
        await saveNotes(tx)
        const columns = {
          id: 'bigint',
          owner_id: 'bigint',
          key: 'text',
          sha256: 'text',
          md5: 'text',
          mime: 'text',
          size: 'bigint',
          width: 'int',
          height: 'int',
        }
        // Keeps the placeholder hash of a duplicate, because (owner_id, sha256) is unique.
        await tx`
          update files f set storage_key = r.key, md5 = decode(r.md5, 'hex'), mime = r.mime, size = r.size,
            width = r.width, height = r.height,
            sha256 = case when exists (
              select from files o where o.owner_id = r.owner_id and o.sha256 = decode(r.sha256, 'hex') and o.id <> f.id
            ) or r.again then f.sha256 else decode(r.sha256, 'hex') end
          from (
            select *, row_number() over (partition by owner_id, sha256 order by id) > 1 as again
            from ${relation(tx, columns, stored)}
          ) r
          where f.id = r.id`
      })
      await tellUses(
        transaction,
        changed,
        rows.map(({ id }) => id),
      )
      done += rows.length
      progress(`${done}`)
    }
    await transaction(noteDifferences)
  },
}

export const fileTables = [contents, uses]
