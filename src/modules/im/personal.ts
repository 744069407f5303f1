import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of chats: that they are in them. What is said there is kept by the chat provider. */
export const imPersonal = [
  personalTable({
    file: 'chat-account',
    about: { en: 'Your account at the chat provider', zh: '您的即时通讯账号' },
    table: 'im_accounts',
    key: ['user_id'],
    columns: ['provider', 'locked', 'created_at', 'updated_at'],
  }),
  personalTable({
    file: 'chat-groups',
    about: { en: 'Group chats you are in', zh: '您加入的群聊' },
    table: 'im_group_members',
    with: ['im_groups'],
    key: ['group_id'],
    columns: ['group_id', 'joined_at'],
    extra: (sql) => sql`,
      (select g.name from im_groups g where g.id = t.group_id and g.deleted_at is null) as name,
      (select g.owner_id = t.user_id from im_groups g where g.id = t.group_id) as owned`,
  }),
]
