import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their sign-ins; never a token. */
export const tokenPersonal = [
  personalTable({
    file: 'sign-ins',
    about: { en: 'Where you signed in', zh: '您的登录记录' },
    table: 'token_families',
    key: ['id'],
    columns: ['id', 'user_agent', 'network', 'created_at', 'used_at', 'revoked_at'],
  }),
]
