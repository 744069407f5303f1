import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their tags. */
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
