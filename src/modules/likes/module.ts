import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { likeRoutes } from './mount.ts'
import { likeCounters } from './queries.ts'
import { deleteRemainingLikes } from './service.ts'

export const likeTasks = (ctx: Context): TaskList => ({
  delete_likes: (payload, { abortSignal }) =>
    deleteRemainingLikes(ctx, payload as { type: string; ids: number[] }, abortSignal),
})

export const likePersonal = [
  personalTable({
    file: 'likes',
    about: { en: 'Your likes', zh: '您的点赞' },
    table: 'likes',
    within: 'likeable_type',
    key: ['id'],
    columns: ['likeable_type', 'likeable_id', 'created_at'],
  }),
]

export const module: Module = {
  routes: (site) => [likeRoutes(site.readers)],
  personalData: { place: 11, tables: likePersonal },
  counters: likeCounters,
  tasks: () => [likeTasks],
}
