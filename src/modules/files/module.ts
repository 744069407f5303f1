import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { nodeBytesRoutes, nodeRoutes, oldAddressRoutes } from './nodes/routes.ts'
import { nodeKey, tidyNodes } from './nodes/service.ts'
import { uploadLimits } from './schema.ts'
import { countLeftovers, deleteOrphanedObjects } from './service.ts'
import { uploadBytesRoutes, uploadRoutes } from './uploads/routes.ts'
import { removeFiles, tidyTemporary, tidyUploads } from './uploads/service.ts'
import { tidyVariants } from './variants/service.ts'

export const fileTasks = (ctx: Context): TaskList => ({
  remove_files: (payload) => removeFiles(ctx, (payload as { ids: number[] }).ids),
  tidy_files: async () => {
    await tidyTemporary()
    await ctx.storage.tidy()
    await tidyUploads(ctx)
    await tidyNodes(ctx)
  },
  tidy_variants: () => tidyVariants(ctx),
})

export const fileSchedules: Schedule[] = [
  { task: 'tidy_files', pattern: '23 * * * *' },
  { task: 'tidy_variants', pattern: '*/10 * * * *' },
]

const ending = (key: string) => /\.[a-z0-9]{1,5}$/.exec(key)?.[0] ?? ''

export const filePersonal = [
  personalTable({
    file: 'uploads',
    about: { en: 'Files you uploaded and the content that uses them', zh: '您上传的文件及使用它们的内容' },
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
    about: { en: 'Pictures of your profile and other settings', zh: '您的头像等图片' },
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

/**
 * If more files than this and more than half of all files are unreferenced, `kith doctor` suspects the wrong
 * database and deletes no file.
 */
const FEW = 100

export const module: Module = {
  tags: {
    Files: { place: 8, about: 'Uploads, pictures in every size, and paid files.' },
  },
  offers: { uploadLimits },
  routes: (site) => [nodeRoutes, (server, ctx) => uploadRoutes(server, ctx, site.files.on(ctx))],
  personalData: { place: 25, tables: filePersonal },
  tasks: () => [fileTasks],
  schedules: fileSchedules,
  leftovers: [
    {
      text: 'stored files are unreferenced and older than a day',
      async find(ctx) {
        const { left, stored } = await countLeftovers(ctx)
        const isMost = left > FEW && left > stored / 2
        return {
          count: left,
          ...(isMost ? { doubt: 'these are most of the stored files: is this the right database?' } : {}),
        }
      },
      clear: deleteOrphanedObjects,
    },
  ],
  outerRoutes: ({ files }) => [
    uploadBytesRoutes(files),
    nodeBytesRoutes,
    (server, ctx) => oldAddressRoutes(server, ctx, files.on(ctx)),
  ],
}
