import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their likes. */
export const likePersonal = [
  personalTable({
    file: 'likes',
    about: { en: 'What you like', zh: '您的点赞' },
    table: 'likes',
    within: 'likeable_type',
    key: ['id'],
    columns: ['likeable_type', 'likeable_id', 'created_at'],
  }),
]
