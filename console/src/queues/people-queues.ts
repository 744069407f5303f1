import { plainText } from '../areas/member-text.ts'
import type { Queue } from './queue.ts'
import { actions, authorIn, FACTS, personFact, text } from './queue-parts.ts'

export const PEOPLE_QUEUES: readonly Queue[] = [
  {
    name: 'registrations',
    label: ['Registrations', '注册审核'],
    icon: 'people',
    path: 'registrations',
    query: { state: 'waiting' },
    operation: 'patch registrations/{registration}',
    title: (row) => text(row.name),
    body: (row) => plainText(row.introduction),
    facts: [
      FACTS.asked,
      { label: ['E-mail', '邮箱'], name: 'email' },
      { label: ['Phone', '手机号'], name: 'phone' },
      personFact(['Inviter', '邀请人'], 'inviter_id'),
    ],
    author: authorIn('user_id'),
    ...actions('registrations', 'remark', {
      acceptLabel: ['Accept', '通过'],
      rejectLabel: ['Reject', '驳回'],
    }),
  },
  {
    name: 'appeals',
    label: ['Appeals', '申诉'],
    icon: 'ledger',
    path: 'appeals',
    query: { state: 'pending' },
    operation: 'patch appeals/{appeal}',
    title: (row) => text(row.name),
    body: (row) => plainText(row.contents),
    facts: [
      FACTS.asked,
      { label: ['Sanction', '处罚类型'], name: 'sanction.kind', as: 'state' },
      { label: ['Reason for the sanction', '处罚理由'], name: 'sanction.reason' },
      { label: ['Imposed', '处罚时间'], name: 'sanction.created_at', as: 'time' },
      personFact(['Imposed by', '处罚人'], 'sanction.imposed_by'),
      { label: ['Expires', '到期时间'], name: 'sanction.ends_at', as: 'time' },
    ],
    author: authorIn('user_id'),
    ...actions('appeals', 'answer', {
      acceptLabel: ['Lift the sanction', '解除处罚'],
      rejectLabel: ['Keep the sanction', '维持处罚'],
    }),
  },
]
