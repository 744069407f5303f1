import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of the accounts outside with which they sign in. */
export const linkedAccountPersonal = [
  personalTable({
    file: 'linked-accounts',
    about: { en: 'Accounts outside with which you sign in', zh: '您绑定的外部账号' },
    table: 'linked_accounts',
    key: ['provider'],
    columns: ['provider', 'subject', 'created_at'],
  }),
]
