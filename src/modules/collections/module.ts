import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { collectionTasks } from './mount.ts'

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
