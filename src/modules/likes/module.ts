import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { likeRoutes } from './mount.ts'
import { likeCounters } from './queries.ts'
import { likeTasks } from './service.ts'

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
  tags: {
    Likes: { place: 15, about: 'Likes of every kind.' },
  },
  routes: (site) => [likeRoutes(site.readers)],
  personalData: { place: 11, tables: likePersonal },
  counters: likeCounters,
  tasks: () => [likeTasks],
}
