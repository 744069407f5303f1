import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their certification; its papers are among their uploads. */
export const certificationPersonal = [
  personalTable({
    file: 'certification',
    about: { en: 'Your certification', zh: '您的认证资料' },
    table: 'certifications',
    key: ['user_id'],
    columns: [
      ...([
        'id',
        'type',
        'status',
        'name',
        'phone',
        'number',
        'description',
        'org_name',
        'org_address',
      ] as const),
      ...(['files', 'reject_reason', 'created_at', 'updated_at'] as const),
    ],
  }),
]
