import { personalTable } from '#contracts/personal-data.ts'

export const userPersonal = [
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
    file: 'famous',
    about: { en: 'Whether the site recommends you to new users', zh: '本站是否向新用户推荐您' },
    table: 'famous_users',
    key: ['user_id'],
    columns: ['type', 'created_at'],
  }),
]
