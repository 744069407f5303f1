import { setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int, OneOf, Text } from '#platform/http'

export const GROUP_SETTINGS = {
  'group:need-verified': setting(Flag(), false, {
    label: ['Groups by certified users only', '仅认证用户可创建圈子'],
    help: ['Users without a certification cannot create groups.', '未认证的用户不能创建圈子。'],
  }),
  'group:report-handle': setting(OneOf(['managers', 'site'] as const), 'managers', {
    label: ['Handling of reports in groups', '圈内举报处理人'],
    help: ['Determines who handles reports about posts of a group.', '决定由谁处理圈内帖子的举报。'],
    choices: {
      managers: ['managers of the group', '圈主和圈子管理员'],
      site: ['moderators of the site', '站点管理员'],
    },
  }),
  'group:protocol': setting(Text(100_000, { 'x-empty': true }), '', {
    label: ['Terms of groups', '圈子协议'],
    help: ['Clients show this text before a user creates a group.', '用户创建圈子前，客户端显示的协议。'],
  }),
  'group:keep-request-days': setting(Int(1, 3650), 365, {
    label: ['Retention of decided requests to join groups (days)', '已处理的入圈申请保留天数'],
    help: [
      'The server deletes decided requests after this time. Pending requests stay.',
      '到期后自动删除，待处理的申请会保留。',
    ],
  }),
}

export const readGroupSettings = settingsReader(GROUP_SETTINGS)
