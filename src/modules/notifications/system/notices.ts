import type { SystemType } from '../codes.ts'
import {
  AS_TEXT,
  DECIDED,
  DECIDED_AS_TEXT,
  type Field,
  fieldText,
  GIFT,
  REFUSED_AS_TEXT,
  type SystemNotice,
} from './fields.ts'
import { GROUP_NOTICES } from './group-notices.ts'

const REMARK = '`contents` ends with the remark, if there is one'

export const SYSTEM_NOTICES: Record<SystemType, SystemNotice> = {
  'account:changed': {
    when: 'a password, phone or e-mail of an account is set, changed or removed by any user, an external account is linked or unlinked (sign-in-26), a new device signs in (rights-5), or an administrator ends sessions (administration-22)',
    who: 'its owner',
    fields: { state: '`password`, `phone`, `email`, `link`, `unlink`, `sign-in`, `sign-outs`' },
    resource: '1',
    shown: AS_TEXT,
  },
  'account:export': {
    when: 'a data export is ready or failed (rights-9)',
    who: 'its owner',
    fields: { state: '`ready`, `failed`' },
    resource: '1',
    shown: AS_TEXT,
  },
  sanction: {
    when: 'moderators warn, silence or suspend a user, lift the sanction, or reject an appeal',
    who: 'that user',
    fields: {
      state: '`warning`, `silence`, `suspension`, `lifted`, `rejected`',
      ends_at: 'if it expires',
    },
    besides: '`contents` ends with the reason',
    resource: '1',
    shown: AS_TEXT,
    explained: true,
  },
  notice: {
    when: 'an administrator sends a notice',
    who: 'the given users, or all users',
    fields: { notice: '' },
    resource: '18',
    shown: AS_TEXT,
  },
  'pinned:feeds': {
    when: 'a pin of a feed is decided, or set by an administrator',
    who: 'the applicant, or the author',
    fields: { state: `${DECIDED}, \`admin\``, feed: '', feed_id: '' },
    resource: '2',
    shown: REFUSED_AS_TEXT,
  },
  'pinned:feed/comment': {
    when: "a pin of a feed's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', feed: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
  },
  'pinned:news/comment': {
    when: "a pin of an article's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', news: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
  },
  'delete:feed/comment': {
    when: 'a moderator deletes a comment of a feed',
    who: 'its author',
    fields: { comment: '' },
    resource: '2',
    ofDeletion: true,
  },
  reward: {
    when: 'a user is rewarded',
    who: 'that user',
    fields: { ...GIFT, user: 'that user, without the name' },
    resource: '1',
  },
  'reward:feeds': {
    when: 'a feed is rewarded',
    who: 'its author',
    fields: { ...GIFT, feed: '', feed_id: '' },
    resource: '2',
  },
  'reward:news': {
    when: 'an article is rewarded',
    who: 'its author',
    fields: { ...GIFT, unit: 'the unit of points', news: '' },
    resource: '4',
  },
  purchase: {
    when: 'a paid node is bought with wallet money',
    who: 'its publisher',
    fields: { ...GIFT, channel: '', raw: '' },
    resource: '2, 6 or 17',
    shown: AS_TEXT,
  },
  'news:pinned:accept': {
    when: 'a pin of an article is accepted or set',
    who: 'the applicant, or the author',
    fields: { state: '`passed`, `admin`', news: '' },
    resource: '4',
    shown: AS_TEXT,
  },
  'news:pinned:reject': {
    when: 'a pin of an article is rejected',
    who: 'the applicant',
    fields: { state: '`rejected`', news: '' },
    resource: '4',
    shown: AS_TEXT,
  },
  'news:audit': {
    when: 'an article is published after review',
    who: 'its author',
    fields: { news: '' },
    resource: '4',
  },
  'news:reject': {
    when: 'an article is rejected',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
    explained: true,
  },
  'news:delete:accept': {
    when: 'a request to delete an article is accepted',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
    shown: AS_TEXT,
    explained: true,
    ofDeletion: true,
  },
  'news:delete:reject': {
    when: 'a request to delete an article is rejected',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
    shown: AS_TEXT,
    explained: true,
  },
  'feed:topic:create:passed': {
    when: 'a topic is accepted',
    who: 'its creator',
    fields: { topic: '' },
    resource: '7',
  },
  'feed:topic:create:failed': {
    when: 'a topic is rejected',
    who: 'its creator',
    fields: { topic: '' },
    resource: '7',
  },
  'feed:topic:create:waiting': {
    when: 'never; clients know it',
    who: 'no user',
    fields: { topic: '' },
    resource: '7',
    shown: AS_TEXT,
  },
  'user-certification': {
    when: 'a certification is decided',
    who: 'its owner',
    fields: { state: DECIDED, certification: '' },
    besides: '`contents` of a rejection ends with its reason',
    resource: '14',
    shown: DECIDED_AS_TEXT,
    explained: true,
  },
  'user-cash': {
    when: 'a wallet withdrawal is decided',
    who: 'the applicant',
    fields: { state: DECIDED, remark: 'if there is one' },
    resource: '15',
  },
  'user-currency:cash': {
    when: 'a withdrawal of points is decided',
    who: 'the applicant',
    fields: { state: DECIDED, remark: 'if there is one' },
    resource: '16',
  },
  report: {
    when: 'a report is handled by administrators',
    who: 'the reporter',
    fields: { state: DECIDED, subject: '' },
    resource: 'the reported content',
  },
  'qa:invitation': {
    when: 'a question invites a user to answer',
    who: 'the invited user',
    fields: { question: '' },
    resource: '8',
  },
  'question:answer': {
    when: 'a question is answered',
    who: 'the asker',
    fields: { question: '', answer: '' },
    resource: '9',
    shown: AS_TEXT,
  },
  'qa:answer-adoption': {
    when: 'an answer is adopted',
    who: 'its author',
    fields: { question: '', answer: '' },
    resource: '9',
  },
  'qa:reward': {
    when: 'an answer is rewarded',
    who: 'its author',
    fields: { ...GIFT, answer: '' },
    resource: '9',
  },
  'qa:onlook': {
    when: 'a user pays to see an answer',
    who: 'the asker',
    fields: { question: '', answer: '', ...GIFT },
    resource: '9',
    shown: AS_TEXT,
  },
  'qa:question-topic:accept': {
    when: 'a proposed question topic is accepted',
    who: 'its proposer',
    fields: { state: '`passed`', topic_application: '', topic: '' },
    resource: '10',
  },
  'qa:question-topic:reject': {
    when: 'a proposed question topic is rejected',
    who: 'its proposer',
    fields: { state: '`rejected`', topic_application: '', topic: 'id 0' },
    resource: '10, id 0',
  },
  'qa:question-excellent:accept': {
    when: 'a question becomes an excellent one',
    who: 'the applicant',
    fields: { state: '`passed`', question: '', application: '' },
    resource: '8',
  },
  'qa:question-excellent:reject': {
    when: 'the request for it is rejected',
    who: 'the applicant',
    fields: { state: '`rejected`', question: '', application: '' },
    resource: '8',
  },
  'follow:request': {
    when: 'a user asks to follow a private account (relations-9)',
    who: 'its owner',
    fields: { user: '' },
    resource: '1',
    shown: AS_TEXT,
  },
  'follow:accept': {
    when: 'a request to follow is accepted',
    who: 'the user who asked',
    fields: { user: '' },
    resource: '1',
    shown: AS_TEXT,
  },
  ...GROUP_NOTICES,
}

export const systemNotice = (type: unknown): SystemNotice | undefined =>
  Object.hasOwn(SYSTEM_NOTICES, String(type)) ? SYSTEM_NOTICES[type as SystemType] : undefined

export function ruleOf(type: SystemType): string {
  const { when, who, fields, resource, besides, shown } = SYSTEM_NOTICES[type]
  const named = Object.entries(fields).map(
    ([name, note]) => `${fieldText(name as Field)}${note ? ` (${note})` : ''}`,
  )
  const data = `${[named.join(', '), ...(besides ? [besides] : [])].join('; ')}; resource (${resource})`
  const name = shown ? `\`${shown.type}\`` : ''
  const states = shown?.states ? ` when ${shown.states.map((state) => `\`${state}\``).join(', ')}` : ''
  return `| \`${type}\` | ${name}${states} | ${when} | ${who} | ${data} |`
}
