import type { Wire } from '../api/client.ts'
import type { Area, Choice } from './area.ts'
import { ASKED, decisionOf, PERSON, personIn, REMARK, STATE, stateIn } from './area-parts.ts'

const KINDS: readonly Choice[] = [
  { id: 'warning', name: ['warning', '警告'], tone: 'quiet' },
  { id: 'silence', name: ['silence', '禁言'], tone: 'wait' },
  { id: 'suspension', name: ['suspension', '停用'], tone: 'bad' },
]
const named = ({ user_id: id, name }: Wire) => ({ id, name })
const OF = personIn('user')

export const MODERATION_AREAS: readonly Area[] = [
  {
    name: 'registrations',
    path: 'registrations',
    param: 'registration',
    section: 'people',
    label: ['All requests to join', '注册申请'],
    noun: ['request', '申请'],
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
        { id: 'waiting', name: ['waiting', '待审核'] },
        { id: 'accepted', name: ['accepted', '已通过'] },
        { id: 'rejected', name: ['rejected', '已驳回'] },
      ]),
    ],
    emptyNote: [
      'People ask where a setting says that registrations are looked at.',
      '当设置要求审核注册时，申请会显示在这里。',
    ],
    deletes: false,
  },
  {
    name: 'invitees',
    path: 'invitees',
    param: 'user',
    section: 'people',
    label: ['Invited people', '受邀用户'],
    noun: ['invited person', '受邀用户'],
    icon: 'people',
    idOf: (row) => (row.user as { id: number }).id,
    title: (row) => String((row.user as { name: string }).name),
    columns: [
      PERSON,
      { name: 'inviter', label: ['Invited by', '邀请人'], as: 'person' },
      { name: 'invitation_id', label: ['Invitation', '邀请编号'], wide: true },
      { name: 'created_at', label: ['Since', '注册时间'], as: 'time' },
    ],
    filters: [
      personIn('inviter', ['Invited by', '邀请人']),
      OF,
      { name: 'invitation', label: ['Id of the invitation', '邀请编号'], as: 'number' },
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
      { name: 'user_id', label: ['Person', '用户'], as: 'person', from: named },
      { name: 'kind', label: ['Kind', '类型'], choices: KINDS },
      { name: 'reason', label: ['Reason', '理由'], as: 'long' },
      { name: 'in_force', label: ['In force', '生效中'], as: 'flag', wide: true },
      { name: 'ends_at', label: ['Until', '到期'], as: 'time', wide: true },
      { name: 'imposed_by', label: ['Imposed by', '处罚人'], as: 'person', wide: true },
      { name: 'created_at', label: ['Imposed', '处罚时间'], as: 'time', wide: true },
    ],
    filters: [
      { name: 'kind', label: ['Kind', '类型'], as: 'choice', choices: KINDS },
      { name: 'in_force', label: ['In force', '生效中'], as: 'flag' },
      OF,
    ],
    emptyNote: [
      'People are sanctioned on their own page and from reports.',
      '可在用户页面或举报中进行处罚。',
    ],
    deletes: {
      label: ['Lift', '解除'],
      ask: ['The person is told. A warning is taken back.', '将通知该用户；警告会被撤回。'],
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
      { name: 'user_id', label: ['Person', '用户'], as: 'person', from: named },
      { name: 'contents', label: ['What they say', '申诉内容'], as: 'long' },
      { name: 'sanction.kind', label: ['Against', '针对'], choices: KINDS, wide: true },
      { name: 'sanction.reason', label: ['Its reason', '处罚理由'], as: 'long', wide: true },
      STATE,
      { name: 'answer', label: ['Answer', '答复'], as: 'long', wide: true },
      { name: 'created_at', label: ['Made', '提交时间'], as: 'time', wide: true },
    ],
    filters: [decisionOf({ id: 'accepted', name: ['accepted', '已通过'] }), OF],
    deletes: false,
  },
]
