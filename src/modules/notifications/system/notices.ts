import type { SystemType } from '../codes.ts'
import type { SystemNotice } from './fields.ts'
import { GROUP_NOTICES } from './group-notices.ts'
import { DECIDED, GIFT, SPELLED } from './said.ts'

const REMARK = '`contents` is the remark, where there is one'

/** When each system type is written, to whom, and what it says. */
export const SYSTEM_NOTICES: Record<SystemType, SystemNotice> = {
  'account:changed': {
    when: 'a password, phone or e-mail of an account is set, changed or taken away, by anybody, somebody signs in from a new device (rights-5), or an administrator ends sign-ins (administration-22)',
    who: 'whose it is',
    fields: { state: '`password`, `phone`, `email`, `sign-in`, `sign-outs`' },
    resource: '1',
  },
  'account:export': {
    when: 'an export of the data of somebody is ready, or could not be made (rights-9)',
    who: 'whose it is',
    fields: { state: '`ready`, `failed`' },
    resource: '1',
  },
  sanction: {
    when: 'moderators warn, silence or suspend a person or lift that, or reject an appeal',
    who: 'whom it is about',
    fields: {
      state: '`warning`, `silence`, `suspension`, `lifted`, `rejected`',
      ends_at: 'where it ends by itself',
    },
    besides: '`contents` is the reason',
    resource: '1',
  },
  notice: {
    when: 'an administrator writes to people',
    who: 'those people, or everybody',
    fields: { notice: '' },
    resource: '18',
  },
  'pinned:feeds': {
    when: 'a pin of a feed is decided, or set by an administrator',
    who: 'who asked, or the author',
    fields: { state: `${DECIDED}, \`admin\``, feed: '', feed_id: '' },
    resource: '2',
  },
  'pinned:feed/comment': {
    when: "a pin of a feed's comment is decided",
    who: 'who asked',
    fields: { state: DECIDED, comment: '', feed: '' },
    resource: '3',
  },
  'pinned:news/comment': {
    when: "a pin of an article's comment is decided",
    who: 'who asked',
    fields: { state: SPELLED, comment: '', news: '' },
    resource: '3',
    refused: 'reject',
  },
  'delete:feed/comment': {
    when: 'a moderator deletes a comment of a feed',
    who: 'its author',
    fields: { comment: '' },
    resource: '2',
  },
  reward: {
    when: 'a person is rewarded',
    who: 'that person',
    fields: { ...GIFT, user: 'that person, without the name' },
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
    fields: { ...GIFT, unit: 'that of points', news: '' },
    resource: '4',
  },
  purchase: {
    when: 'a paid node is bought with wallet money',
    who: 'its publisher',
    fields: { ...GIFT, channel: '', raw: '' },
    resource: '2, 6 or 17',
  },
  'news:pinned:accept': {
    when: 'a pin of an article is accepted or set',
    who: 'who asked, or the author',
    fields: { state: '`passed`, `admin`', news: '' },
    resource: '4',
  },
  'news:pinned:reject': {
    when: 'a pin of an article is rejected',
    who: 'who asked',
    fields: { state: '`rejected`', news: '' },
    resource: '4',
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
  },
  'news:delete:accept': {
    when: 'a request to delete an article is accepted',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
  },
  'news:delete:reject': {
    when: 'a request to delete an article is rejected',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
  },
  'feed:topic:create:passed': {
    when: 'a topic is let through',
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
    who: 'nobody',
    fields: { topic: '' },
    resource: '7',
  },
  'user-certification': {
    when: 'a certification is decided',
    who: 'whose it is',
    fields: { state: SPELLED, certification: '' },
    besides: '`contents` of a rejection is its reason',
    resource: '14',
    // Clients take `rejected` for the link only: with it they call a refused certification a passed one.
    refused: 'reject',
  },
  'user-cash': {
    when: 'a wallet withdrawal is decided',
    who: 'who asked',
    fields: { state: DECIDED, remark: 'where there is one' },
    resource: '15',
  },
  'user-currency:cash': {
    when: 'a withdrawal of points is decided',
    who: 'who asked',
    fields: { state: DECIDED, remark: 'where there is one' },
    resource: '16',
  },
  report: {
    when: 'a report is handled by administrators',
    who: 'who reported',
    fields: { state: DECIDED, subject: '' },
    resource: 'what was reported',
  },
  'qa:invitation': {
    when: 'a question invites somebody to answer',
    who: 'who is invited',
    fields: { question: '' },
    resource: '8',
  },
  'question:answer': {
    when: 'a question is answered',
    who: 'who asked',
    fields: { question: '', answer: '' },
    resource: '9',
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
    when: 'somebody pays to see an answer',
    who: 'who asked the question',
    fields: { question: '', answer: '', ...GIFT },
    resource: '9',
  },
  'qa:question-topic:accept': {
    when: 'a proposed question topic is accepted',
    who: 'who proposed it',
    fields: { state: '`passed`', topic_application: '', topic: '' },
    resource: '10',
  },
  'qa:question-topic:reject': {
    when: 'a proposed question topic is rejected',
    who: 'who proposed it',
    fields: { state: '`rejected`', topic_application: '', topic: 'id 0' },
    resource: '10, id 0',
  },
  'qa:question-excellent:accept': {
    when: 'a question becomes an excellent one',
    who: 'who asked for it',
    fields: { state: '`passed`', question: '', application: '' },
    resource: '8',
  },
  'qa:question-excellent:reject': {
    when: 'the request for it is rejected',
    who: 'who asked for it',
    fields: { state: '`rejected`', question: '', application: '' },
    resource: '8',
  },
  ...GROUP_NOTICES,
}
