import { personalTable } from '#platform/personal-data.ts'
import { nodeKey } from './nodes/service.ts'

const ending = (key: string) => /\.[a-z0-9]{1,5}$/.exec(key)?.[0] ?? ''

/** What a person takes along of their uploads: the list of them, and the bytes. */
export const filePersonal = [
  personalTable({
    file: 'uploads',
    about: { en: 'Files you uploaded, with where they are used', zh: '您上传的文件及其使用位置' },
    table: 'files',
    with: ['file_uses'],
    owner: 'owner_id',
    key: ['sha256'],
    columns: ['id', 'mime', 'size', 'width', 'height', 'created_at'],
    hidden: ['storage_key'],
    extra: (sql) => sql`, (
      select coalesce(json_agg(json_build_object('id', u.id, 'channel', u.channel, 'raw', u.raw) order by u.id), '[]')
      from file_uses u where u.file_id = t.id and u.owner_id = t.owner_id
    ) as uses`,
    bytes: ({ id, size, storage_key: key }) => ({
      key: String(key),
      path: `files/${id}${ending(String(key))}`,
      size: Number(size),
    }),
  }),
  personalTable({
    file: 'pictures',
    about: { en: 'Pictures of your profile and the like', zh: '您的头像等图片' },
    table: 'storage_nodes',
    owner: 'owner_id',
    key: ['node'],
    columns: ['node', 'mime', 'size', 'width', 'height', 'created_at', 'uploaded_at', 'used_at'],
    only: (sql) => sql`and t.uploaded_at is not null`,
    bytes: ({ node, size }) => ({
      key: nodeKey(String(node)),
      path: `pictures/${nodeKey(String(node)).split('/').slice(1).join('-')}`,
      size: Number(size),
    }),
  }),
]
