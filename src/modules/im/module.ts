import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { imAccountRoutes } from './accounts/routes.ts'
import {
  changeAccess,
  ensureAccounts,
  registerAllUsers,
  renewPassword,
  syncAccounts,
} from './accounts/service.ts'
import { createChatSource } from './chats/live.ts'
import { adminChatMessageRoutes, chatMessageRoutes } from './chats/messages/routes.ts'
import {
  CHAT_FILE,
  deleteExpiredMessages,
  eraseMessages,
  mayReadChatFile,
  messageRemoval,
} from './chats/messages/service.ts'
import { pushChat } from './chats/push.ts'
import { chatRoutes } from './chats/routes.ts'
import { adminImRoutes, checkImProvider, reconcile, sweep } from './drift.ts'
import { imGroupRoutes } from './groups/routes.ts'
import { CHAT_SETTINGS } from './settings.ts'
import { syncGroup } from './sync/service.ts'

const idOf = (payload: unknown) => (payload as { id: number }).id

/**
 * Sync jobs do not fail during an outage of the provider. They enqueue another job instead, because a failed job
 * has a maximum number of retries.
 */
export const imTasks = (ctx: Context): TaskList => ({
  user_created: async (payload) => {
    await ensureAccounts(ctx, ctx.sql, [idOf(payload)])
    await syncAccounts(ctx, [idOf(payload)])
  },
  sign_ins_ended: (payload) => renewPassword(ctx, idOf(payload)),
  user_access_changed: (payload) => changeAccess(ctx, idOf(payload)),
  im_account: async (payload) => void (await syncAccounts(ctx, [idOf(payload)])),
  im_accounts: async (payload) => void (await syncAccounts(ctx, (payload as { ids: number[] }).ids)),
  im_group: async (payload) => void (await syncGroup(ctx, idOf(payload))),
  im_register_everybody: (payload) => registerAllUsers(ctx, idOf(payload)),
  im_sweep: () => sweep(ctx),
  im_reconcile: async () => void (await reconcile(ctx)),
  chat_retention: () => deleteExpiredMessages(ctx),
  push_chat: (payload) => pushChat(ctx, payload as Parameters<typeof pushChat>[1]),
})

export const imSchedules: Schedule[] = [
  { task: 'im_sweep', pattern: '* * * * *' },
  { task: 'im_reconcile', pattern: '23 4 * * *' },
  { task: 'chat_retention', pattern: '41 4 * * *', deletes: true },
]

/** The tables of messages are empty with an external provider, which stores the messages itself. */
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
  personalTable({
    file: 'chat-messages',
    about: { en: 'Messages you sent', zh: '您发送的聊天消息' },
    table: 'chat_messages',
    with: ['chats'],
    owner: 'sender_id',
    key: ['id'],
    columns: [
      'id',
      'chat_id',
      'position',
      'body',
      'file_id',
      'link_type',
      'link_id',
      'reply_to',
      'ext',
      'created_at',
      'edited_at',
    ],
    only: (sql) => sql`and t.deleted_at is null`,
  }),
  personalTable({
    file: 'chats',
    about: { en: 'Read positions and muted conversations', zh: '您在会话中的已读位置与免打扰设置' },
    table: 'chat_members',
    key: ['chat_id'],
    columns: ['chat_id', 'read_position', 'is_muted', 'updated_at'],
  }),
]

export const module: Module = {
  settings: CHAT_SETTINGS,
  routes: (site) => [
    imAccountRoutes,
    imGroupRoutes,
    chatRoutes,
    chatMessageRoutes(site.readers),
    adminImRoutes,
    adminChatMessageRoutes,
  ],
  removals: { 'chat-messages': messageRemoval },
  confidentialFiles: { [CHAT_FILE]: mayReadChatFile },
  erase: eraseMessages,
  offers: { createChatSource },
  personalData: { place: 16, tables: imPersonal },
  tasks: () => [imTasks],
  schedules: imSchedules,
  pools: [
    { concurrency: 4, names: ['push_chat'] },
    {
      concurrency: 4,
      names: [
        ...['user_created', 'user_access_changed', 'im_account', 'im_accounts', 'im_group'],
        ...['im_register_everybody', 'im_sweep', 'im_reconcile'],
      ],
    },
  ],
  probes: [
    {
      part: 'im',
      settings: 'the settings of the chat provider (docs/im.md)',
      isUsed: () => true,
      check: checkImProvider,
    },
  ],
}
