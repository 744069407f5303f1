import type { Wire } from '../api/client.ts'
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
]
