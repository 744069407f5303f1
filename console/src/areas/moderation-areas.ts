import type { Wire } from '../api/client.ts'
import { criteriaOf, WAVE_ACTIONS, WAVE_STATES } from '../pages/waves/wave-texts.ts'
import type { Area, Choice } from './area.ts'
import { ASKED, decisionOf, PERSON, personIn, REMARK, STATE, stateIn } from './area-parts.ts'

const KINDS: readonly Choice[] = [
  { id: 'warning', name: ['warning', '警告'], tone: 'quiet' },
  { id: 'silence', name: ['silence', '禁言'], tone: 'wait' },
  { id: 'suspension', name: ['suspension', '封禁'], tone: 'bad' },
]
const named = ({ user_id: id, name }: Wire) => ({ id, name })
const OF = personIn('user')

export const MODERATION_AREAS: readonly Area[] = [
  {
    name: 'registrations',
    path: 'registrations',
    param: 'registration',
    section: 'people',
    label: ['All registration requests', '注册申请'],
    noun: ['registration request', '注册申请'],
    icon: 'people',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'name', label: ['Name', '用户名'] },
      { name: 'email', label: ['E-mail', '邮箱'], wide: true },
      { name: 'introduction', label: ['Introduction', '自我介绍'], as: 'long' },
      STATE,
      REMARK,
      { name: 'decided_by', label: ['Decided by', '处理人'], as: 'person', wide: true },
      ASKED,
    ],
    filters: [
      stateIn('state', [
        { id: 'waiting', name: ['pending', '待审核'] },
        { id: 'accepted', name: ['accepted', '已通过'] },
        { id: 'rejected', name: ['rejected', '已驳回'] },
      ]),
    ],
    emptyNote: [
      'Requests appear here if the setting “Registration mode” is “approval”.',
      '设置“注册模式”为“approval”时，注册申请会显示在这里。',
    ],
    deletes: false,
  },
  {
    name: 'invitees',
    path: 'invitees',
    param: 'user',
    section: 'people',
    label: ['Invited users', '受邀用户'],
    noun: ['invited user', '受邀用户'],
    icon: 'people',
    idOf: (row) => (row.user as { id: number }).id,
    title: (row) => String((row.user as { name: string }).name),
    columns: [
      PERSON,
      { name: 'inviter', label: ['Inviter', '邀请人'], as: 'person' },
      { name: 'invitation_id', label: ['Invitation ID', '邀请编号'], wide: true },
      { name: 'created_at', label: ['Registered', '注册时间'], as: 'time' },
    ],
    filters: [
      personIn('inviter', ['Inviter', '邀请人']),
      OF,
      { name: 'invitation', label: ['Invitation ID', '邀请编号'], as: 'number' },
    ],
    deletes: false,
  },
  {
    name: 'sanctions',
    path: 'sanctions',
    param: 'sanction',
    section: 'people',
    label: ['Sanctions', '处罚记录'],
    noun: ['sanction', '处罚'],
    icon: 'word',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'user_id', label: ['User', '用户'], as: 'person', from: named },
      { name: 'kind', label: ['Type', '类型'], choices: KINDS },
      { name: 'reason', label: ['Reason', '理由'], as: 'long' },
      { name: 'in_force', label: ['In force', '生效中'], as: 'flag', wide: true },
      { name: 'ends_at', label: ['Expires', '到期时间'], as: 'time', wide: true },
      { name: 'imposed_by', label: ['Imposed by', '处罚人'], as: 'person', wide: true },
      { name: 'created_at', label: ['Imposed', '处罚时间'], as: 'time', wide: true },
    ],
    filters: [
      { name: 'kind', label: ['Type', '类型'], as: 'choice', choices: KINDS },
      { name: 'in_force', label: ['In force', '生效中'], as: 'flag' },
      OF,
    ],
    emptyNote: [
      'You can sanction a user on the page of the user or from a report.',
      '可在用户页面或举报中处罚用户。',
    ],
    deletes: {
      label: ['Lift', '解除'],
      ask: ['The user will be notified. A warning will be withdrawn.', '系统会通知该用户。警告会被撤回。'],
    },
  },
  {
    name: 'appeals',
    path: 'appeals',
    param: 'appeal',
    section: 'people',
    label: ['All appeals', '申诉记录'],
    noun: ['appeal', '申诉'],
    icon: 'ledger',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'user_id', label: ['User', '用户'], as: 'person', from: named },
      { name: 'contents', label: ['Appeal', '申诉内容'], as: 'long' },
      { name: 'sanction.kind', label: ['Sanction', '处罚类型'], choices: KINDS, wide: true },
      { name: 'sanction.reason', label: ['Reason for the sanction', '处罚理由'], as: 'long', wide: true },
      STATE,
      { name: 'answer', label: ['Answer', '答复'], as: 'long', wide: true },
      { name: 'created_at', label: ['Submitted', '提交时间'], as: 'time', wide: true },
    ],
    filters: [decisionOf({ id: 'accepted', name: ['accepted', '已通过'] }), OF],
    deletes: false,
  },
  {
    name: 'account-waves',
    path: 'account-waves',
    param: 'wave',
    section: 'people',
    label: ['Account waves', '批量处理账号'],
    noun: ['account wave', '批量处理'],
    icon: 'people',
    hasSearch: true,
    title: (row, t) => t([`Wave ${row.id}`, `批次 ${row.id}`]),
    detail: 'wave',
    columns: [
      {
        name: 'criteria',
        label: ['Chosen by', '筛选条件'],
        from: (row, t) => t(criteriaOf((row.criteria ?? {}) as Wire)),
      },
      { name: 'accounts', label: ['Accounts', '账号数'], as: 'number' },
      { name: 'state', label: ['Status', '状态'], choices: WAVE_STATES },
      { name: 'action', label: ['Action', '操作'], choices: WAVE_ACTIONS, wide: true },
      { name: 'reason', label: ['Reason', '理由'], as: 'long', wide: true },
      { name: 'decided_by', label: ['Decided by', '处理人'], as: 'person', wide: true },
      { name: 'created_at', label: ['Created', '创建时间'], as: 'time', wide: true },
    ],
    filters: [{ name: 'state', label: ['Status', '状态'], as: 'choice', choices: WAVE_STATES }],
    fields: [
      {
        ...personIn('invited_by', ['Invited by, directly or through others', '直接或间接邀请人']),
        only: 'new',
      },
      {
        name: 'network',
        label: ['Network of a sign-in', '登录网段'],
        help: [
          'Such as 192.0.2.0/24. Sign-ins are stored as /24 (IPv4) or /48 (IPv6).',
          '例如 192.0.2.0/24。登录记录只保存 /24（IPv4）或 /48（IPv6）网段。',
        ],
        only: 'new',
      },
      {
        name: 'registered_from',
        label: ['Registered from (UTC)', '注册时间起（UTC）'],
        help: ['Such as 2026-03-01 or 2026-03-01 18:30:00', '例如 2026-03-01 或 2026-03-01 18:30:00'],
        only: 'new',
      },
      {
        name: 'registered_to',
        label: ['Registered before (UTC)', '注册时间止（UTC）'],
        help: ['This time is excluded.', '不包含该时刻。'],
        only: 'new',
      },
      {
        name: 'text',
        label: ['Text of a feed', '动态内容'],
        as: 'long',
        help: [
          'The whole text; case, width and spaces do not matter.',
          '填写完整内容，不区分大小写、全半角与空格。',
        ],
        only: 'new',
      },
      {
        name: 'host',
        label: ['Site of a link in a feed', '动态中链接的网站'],
        help: ['Such as example.com', '例如 example.com'],
        only: 'new',
      },
      {
        name: 'include_verified',
        label: ['Include certified accounts', '包含已认证账号'],
        as: 'flag',
        help: [
          'Accounts must match all filters. Administrators and moderators are never included.',
          '账号须符合全部条件。管理员与版主不会被包含。',
        ],
        only: 'new',
      },
    ],
    emptyNote: [
      'Create a wave to see which accounts it would concern. Nothing changes until you decide.',
      '新建批次即可预览将涉及的账号，处理之前不会有任何改动。',
    ],
    deletes: false,
  },
]
