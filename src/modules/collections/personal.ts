import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of what they collected. */
export const collectionPersonal = [
  personalTable({
    file: 'collections',
    about: { en: 'What you collected', zh: '您的收藏' },
    table: 'collections',
    within: 'collectible_type',
    key: ['id'],
    columns: ['collectible_type', 'collectible_id', 'created_at'],
  }),
]
