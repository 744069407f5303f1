import { personalTable } from '#contracts/personal-data.ts'

/** Excludes passwords, verification and recovery codes, and secrets from the personal data export. */
export const accountPersonal = [
  personalTable({
    file: 'second-factor',
    about: { en: 'Your two-step verification', zh: '两步验证状态' },
    table: 'second_factors',
    key: ['user_id'],
    columns: ['confirmed_at', 'created_at'],
  }),
  personalTable({
    file: 'invitations',
    about: { en: 'Invitations you created', zh: '您创建的邀请码' },
    table: 'invitations',
    key: ['id'],
    columns: ['id', 'code', 'max_uses', 'note', 'created_at', 'expires_at', 'ended_at'],
  }),
  personalTable({
    file: 'invited-by',
    about: { en: 'The user who invited you', zh: '邀请您的人' },
    table: 'invitation_uses',
    key: ['user_id'],
    columns: ['inviter_id', 'created_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.inviter_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'invited',
    about: { en: 'Users who registered with your invitations', zh: '通过您的邀请加入的人' },
    table: 'invitation_uses',
    owner: 'inviter_id',
    key: ['user_id'],
    columns: ['user_id', 'invitation_id', 'created_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.user_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'registration',
    about: { en: 'Your request to register', zh: '您的注册申请' },
    table: 'registration_requests',
    key: ['id'],
    columns: ['name', 'introduction', 'state', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'deletion',
    about: { en: 'Your scheduled account deletion', zh: '账号注销申请' },
    table: 'account_deletions',
    key: ['user_id'],
    columns: ['asked_at', 'due_at'],
  }),
]
