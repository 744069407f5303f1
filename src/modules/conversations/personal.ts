import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of what they wrote to the site. */
export const feedbackPersonal = [
  personalTable({
    file: 'feedback',
    about: { en: 'What you wrote to the site', zh: '您的意见反馈' },
    table: 'feedback',
    key: ['id'],
    columns: ['id', 'content', 'created_at'],
  }),
]
