import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their roles. */
export const abilityPersonal = [
  personalTable({
    file: 'roles',
    about: { en: 'Your roles', zh: '您的角色' },
    table: 'user_roles',
    with: ['roles'],
    key: ['role_id'],
    columns: ['role_id'],
    extra: (sql) => sql`, (select r.name from roles r where r.id = t.role_id) as name`,
  }),
]
