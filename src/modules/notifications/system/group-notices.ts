import type { SystemType } from '../codes.ts'
import { AS_TEXT, DECIDED, DECIDED_AS_TEXT, GIFT, type SystemNotice } from './fields.ts'

const reported = (what: string, resource: string, fields: SystemNotice['fields']): SystemNotice => ({
  when: `a ${what} is reported; the report is decided`,
  who: 'managers; then the reporter and, when accepted, the author',
  fields: {
    group: '',
    post: '',
    ...fields,
    state: `${DECIDED}; only after the decision`,
  },
  besides: 'before the decision `contents` is the reason',
  resource,
  shown: DECIDED_AS_TEXT,
})

export const GROUP_NOTICES = {
  'group:join': {
    when: 'a user joins a group or asks to join',
    who: 'its founder and administrators',
    fields: { group: '', user: '' },
    resource: '11',
  },
  'group:join:accept': {
    when: 'a request to join is accepted',
    who: 'the applicant',
    fields: { group: '', state: '`passed`' },
    resource: '11',
    shown: { type: 'group:join', state: 'passed' },
  },
  'group:join:reject': {
    when: 'a request to join is rejected',
    who: 'the applicant',
    fields: { group: '', state: '`rejected`' },
    resource: '11',
    shown: { type: 'group:join', state: 'rejected' },
  },
  'group:audit': {
    when: 'a group is accepted or rejected',
    who: 'its founder',
    fields: { state: DECIDED, group: '' },
    resource: '11',
  },
  'group:transfer': {
    when: 'a group is transferred',
    who: 'the new founder',
    fields: { group: '', user: 'the previous founder' },
    resource: '11',
    shown: { type: 'group:transform' },
  },
  'group:open': {
    when: 'the founder makes a private group a paid or public one, or a paid one public (groups-2)',
    who: 'its other members',
    fields: { group: '' },
    resource: '11',
    shown: AS_TEXT,
  },
  'group:transform': {
    when: 'never; imports of older communities contain it',
    who: 'the new founder',
    fields: { group: '', user: '' },
    resource: '11',
  },
  'group:post-reward': {
    when: 'a group post is rewarded',
    who: 'its author',
    fields: { ...GIFT, post: '', group_id: '' },
    resource: '12',
  },
  'group:post-pinned': {
    when: 'a pin of a group post is decided, or set by a manager',
    who: 'the applicant, or the author',
    fields: { state: `${DECIDED}, \`admin\``, post: '', group_id: '' },
    resource: '12',
    shown: { type: 'group:pinned-admin', states: ['admin'] },
  },
  'group:comment-pinned': {
    when: "a pin of a group post's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', post: '', group_id: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
  },
  'group:send-comment-pinned': {
    when: 'a user asks to pin a comment of a group post',
    who: "the post's author",
    fields: { post: '', group_id: '' },
    resource: '3',
  },
  'group:report-post': reported('group post', '12', {}),
  'group:report-comment': reported('comment of a group post', '3', { comment: '' }),
} satisfies Partial<Record<SystemType, SystemNotice>>
