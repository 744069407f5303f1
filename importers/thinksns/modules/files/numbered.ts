import type { Tx } from '#platform/database'
import { type FileSource, NO_FILES } from '../../database/files.ts'
import type { ImportStep } from '../../database/table.ts'
import { relation } from '../../database/write.ts'
import { isNumbered, nodePicture } from './pictures.ts'

/** Folders of version 1.x, which names pictures by the id of what they show. No row of the source tells of them. */
const FOLDERS = [
  { folder: 'avatars', place: 'users.avatar', table: 'users', owner: 'id' },
  { folder: 'user-bg', place: 'users.bg', table: 'users', owner: 'id' },
  { folder: 'group-avatars', place: 'groups.avatar', table: 'groups', owner: 'user_id' },
]
/** The old site shows the first of these that exists. */
const EXTENSIONS = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'svg']
const NUMBERED = /^[^/]+\/(\d{3}\/\d{3}\/\d{3}\/\d{2,})\.([a-z]+)$/
const AT_ONCE = 1000

type Numbered = { id: number; rank: number; path: string; node: string }

/**
 * Parses the path of a picture. The version is part of its node, because the old site replaces pictures under the same
 * path, but the bytes of a node never change.
 */
function parseNumbered({ path, version }: { path: string; version: string }): Numbered | undefined {
  const [, digits = '', extension = ''] = NUMBERED.exec(path) ?? []
  const rank = EXTENSIONS.indexOf(extension)
  const id = Number(digits.replaceAll('/', ''))
  if (rank === -1 || !Number.isSafeInteger(id)) return undefined
  return { id, rank, path, node: nodePicture(`${version}/${path}`).node }
}

async function saveNumbered(tx: Tx, files: FileSource, folder: string): Promise<void> {
  const columns = { id: 'bigint', rank: 'int', path: 'text', node: 'text' }
  let waiting: Numbered[] = []
  const save = () =>
    tx`insert into import_numbered select id, rank, path, node from ${relation(tx, columns, waiting)}`
  for await (const file of files.list(folder)) {
    const picture = parseNumbered(file)
    if (!picture) continue
    waiting.push(picture)
    if (waiting.length < AT_ONCE) continue
    await save()
    waiting = []
  }
  if (waiting.length > 0) await save()
}

/** Finds pictures by their file names in every run, because users change them without a trace in the database. */
export const findNumberedPictures: ImportStep = {
  name: 'pictures named by ids',
  async run({ files, transaction }) {
    if (files === NO_FILES) return
    for (const { folder, place, table, owner } of FOLDERS)
      await transaction(async (tx) => {
        await tx`create temp table import_numbered (id bigint, rank int, path text, node text)`
        await saveNumbered(tx, files, folder)
        await tx`
          delete from import_pictures p where place = ${place} and ${isNumbered(tx)}
            and not exists (select from import_numbered n where n.id = p.id)`
        await tx`
          insert into import_pictures as p (place, id, owner_id, node, path)
          select distinct on (n.id) ${place}, n.id, t.${tx(owner)}, n.node, n.path
          from import_numbered n join ${tx(table)} t on t.id = n.id order by n.id, n.rank
          on conflict (place, id) do update
            set owner_id = excluded.owner_id, node = excluded.node, path = excluded.path
            where ${isNumbered(tx, tx`p.path`)} and (p.owner_id, p.node, p.path)
              is distinct from (excluded.owner_id, excluded.node, excluded.path)`
        await tx`drop table import_numbered`
      })
  },
}
