import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { adminTagRoutes } from './admin/routes.ts'
import { detachAllTags, tagRoutes } from './tags.ts'

export const tagPersonal = [
  personalTable({
    file: 'tags',
    about: { en: 'Your tags', zh: '您的标签' },
    table: 'user_tags',
    key: ['tag_id'],
    columns: ['tag_id', 'created_at'],
    extra: (sql) => sql`, (select g.name from tags g where g.id = t.tag_id) as name`,
  }),
]

export const module: Module = {
  tags: {
    Tags: { place: 13, about: 'Tags of people and articles.' },
  },
  routes: () => [tagRoutes, adminTagRoutes],
  personalData: { place: 6, tables: tagPersonal },
  erase: detachAllTags,
}
