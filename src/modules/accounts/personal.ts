import { personalTable } from '#contracts/personal-data.ts'

/**
 * Excludes passwords, verification and recovery codes, secrets and the ids of moderators from the personal data
 * export.
 */
export const accountPersonal = [
  personalTable({
    file: 'profile',
    about: { en: 'Your profile', zh: '您的个人资料' },
    table: 'users',
    owner: 'id',
    key: ['id'],
    columns: [
      ...(['id', 'name', 'email', 'phone', 'bio', 'sex', 'location', 'avatar', 'bg', 'verified'] as const),
      ...(['email_verified_at', 'phone_verified_at', 'found_by_phone', 'recommended_at'] as const),
      ...(['created_at', 'updated_at'] as const),
    ],
  }),
  personalTable({
    file: 'numbers',
    about: { en: 'Your counters', zh: '您的各项统计' },
    table: 'user_counts',
    key: ['user_id'],
    columns: [
      ...(['likes_count', 'comments_count', 'followers_count', 'followings_count', 'feeds_count'] as const),
      ...(['questions_count', 'answers_count', 'checkin_count', 'last_checkin_count'] as const),
    ],
  }),
  personalTable({
    file: 'followings',
    about: { en: 'Users you follow', zh: '您关注的人' },
    table: 'user_follows',
    key: ['id'],
    columns: ['target_id', 'created_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.target_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'followers',
    about: { en: 'Your followers', zh: '关注您的人' },
    table: 'user_follows',
    owner: 'target_id',
    key: ['id'],
    columns: ['user_id', 'created_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.user_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'blocks',
    about: { en: 'Users you block', zh: '您拉黑的人' },
    table: 'user_blocks',
    key: ['id'],
    columns: ['target_id', 'created_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.target_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'mutes',
    about: { en: 'Users you mute', zh: '您屏蔽的人' },
    table: 'user_mutes',
    key: ['id'],
    columns: ['target_id', 'created_at', 'ends_at'],
    extra: (sql) =>
      sql`, (select u.name from users u where u.id = t.target_id and u.deleted_at is null) as name`,
  }),
  personalTable({
    file: 'muted-words',
    about: { en: 'Words you mute', zh: '您屏蔽的词' },
    table: 'muted_words',
    key: ['id'],
    columns: ['word', 'created_at', 'ends_at'],
  }),
  personalTable({
    file: 'contact-rules',
    about: { en: 'Who may contact you', zh: '谁可以与您互动' },
    table: 'contact_rules',
    key: ['user_id'],
    columns: ['comments', 'mentions', 'quotes', 'messages', 'updated_at'],
  }),
  personalTable({
    file: 'private-account',
    about: { en: 'Whether only followers see your feeds', zh: '是否只有关注者能看到您的动态' },
    table: 'private_accounts',
    key: ['user_id'],
    columns: ['created_at'],
  }),
  personalTable({
    file: 'follow-requests',
    about: { en: 'Your requests to follow private accounts', zh: '您的关注申请' },
    table: 'follow_requests',
    key: ['target_id'],
    columns: ['target_id', 'created_at'],
  }),
  personalTable({
    file: 'second-factor',
    about: { en: 'Your two-step verification', zh: '两步验证状态' },
    table: 'second_factors',
    key: ['user_id'],
    columns: ['confirmed_at', 'created_at'],
  }),
  personalTable({
    file: 'famous',
    about: { en: 'Whether the site recommends you to new users', zh: '本站是否向新用户推荐您' },
    table: 'famous_users',
    key: ['user_id'],
    columns: ['type', 'created_at'],
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
    file: 'sanctions',
    about: { en: 'Sanctions against you', zh: '对您的处罚' },
    table: 'sanctions',
    key: ['id'],
    columns: ['id', 'kind', 'reason', 'ends_at', 'lifted_at', 'created_at'],
  }),
  personalTable({
    file: 'appeals',
    about: { en: 'Your appeals', zh: '您的申诉' },
    table: 'appeals',
    key: ['id'],
    columns: ['id', 'sanction_id', 'contents', 'state', 'answer', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'deletion',
    about: { en: 'Your scheduled account deletion', zh: '账号注销申请' },
    table: 'account_deletions',
    key: ['user_id'],
    columns: ['asked_at', 'due_at'],
  }),
  personalTable({
    file: 'exports',
    about: { en: 'Your data exports', zh: '您的数据导出记录' },
    table: 'data_exports',
    key: ['id'],
    columns: ['id', 'state', 'created_at', 'finished_at', 'expires_at'],
  }),
]
