import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their comments; to whom they wrote stays out, because they may be nameless. */
export const commentPersonal = [
  personalTable({
    file: 'comments',
    about: { en: 'Your comments', zh: '您的评论' },
    table: 'comments',
    key: ['id'],
    columns: ['id', 'commentable_type', 'commentable_id', 'body', 'created_at', 'updated_at'],
  }),
]
