import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { deleteRemainingCollections } from './mount.ts'

export const collectionTasks = (ctx: Context): TaskList => ({
  delete_collections: (payload, { abortSignal }) =>
    deleteRemainingCollections(ctx, payload as { type: string; ids: number[] }, abortSignal),
})

export const collectionPersonal = [
  personalTable({
    file: 'collections',
    about: { en: 'Your collections', zh: '您的收藏' },
    table: 'collections',
    within: 'collectible_type',
    key: ['id'],
    columns: ['collectible_type', 'collectible_id', 'created_at'],
  }),
]

export const module: Module = {
  personalData: { place: 12, tables: collectionPersonal },
  tasks: () => [collectionTasks],
}
