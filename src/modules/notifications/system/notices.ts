import type { Language } from '#platform/errors.ts'
import {
  AS_TEXT,
  DECIDED,
  DECIDED_AS_TEXT,
  decided,
  type Field,
  fieldText,
  GIFT,
  REFUSED_AS_TEXT,
  type SystemNotice,
} from './fields.ts'
import { GROUP_NOTICES } from './group-notices.ts'

const REMARK = '`contents` ends with the remark, if there is one'

const NOTICES = {
  'account:changed': {
    when: 'a password, phone or e-mail of an account is set, changed or removed by any user, an external account is linked or unlinked (sign-in-26), a new device signs in (rights-5), or an administrator ends sessions (administration-22)',
    who: 'its owner',
    fields: { state: '`password`, `phone`, `email`, `link`, `unlink`, `sign-in`, `sign-outs`' },
    resource: '1',
    shown: AS_TEXT,
    texts: {
      password: { en: 'The password of your account was changed.', zh: '你的账号密码已被修改。' },
      phone: { en: 'The phone number of your account was changed.', zh: '你的账号绑定的手机号已被修改。' },
      email: { en: 'The e-mail address of your account was changed.', zh: '你的账号绑定的邮箱已被修改。' },
      link: { en: 'An external account was linked to your account.', zh: '你的账号绑定了一个第三方账号。' },
      unlink: {
        en: 'An external account was unlinked from your account.',
        zh: '你的账号解除了一个第三方账号的绑定。',
      },
      'sign-in': {
        en: 'Somebody signed in to your account from a new device.',
        zh: '你的账号在新设备上登录了。',
      },
      'sign-outs': { en: 'An administrator signed you out.', zh: '管理员已将你的账号强制下线。' },
      '': { en: 'Your account was changed.', zh: '你的账号信息已变更。' },
    },
  },
  'account:export': {
    when: 'a data export is ready or failed (rights-9)',
    who: 'its owner',
    fields: { state: '`ready`, `failed`' },
    resource: '1',
    shown: AS_TEXT,
    texts: {
      ready: { en: 'Your data export is ready to download.', zh: '你的数据导出已完成，可以下载。' },
      failed: {
        en: 'Your data could not be exported. Please request a new export.',
        zh: '你的数据导出失败，请重新申请。',
      },
      '': { en: 'The state of your data export changed.', zh: '你的数据导出有新的进展。' },
    },
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
    texts: {
      warning: { en: 'You were warned.', zh: '你收到一次警告。' },
      silence: { en: 'You may read, but not write for now.', zh: '你已被禁言。' },
      suspension: { en: 'Your account was suspended.', zh: '你的账号已被封禁。' },
      lifted: { en: 'A sanction against you was lifted.', zh: '对你的处罚已解除。' },
      rejected: { en: 'Your appeal was rejected.', zh: '你的申诉未通过。' },
      '': { en: 'A decision was made about your account.', zh: '你的账号有新的处理结果。' },
    },
  },
  notice: {
    when: 'an administrator sends a notice',
    who: 'the given users, or all users',
    fields: { notice: '' },
    resource: '18',
    shown: AS_TEXT,
    texts: { '': { en: 'There is a new notice.', zh: '你有一条新公告。' } },
  },
  'pinned:feeds': {
    when: 'a pin of a feed is decided, or set by an administrator',
    who: 'the applicant, or the author',
    fields: { state: `${DECIDED}, \`admin\``, feed: '', feed_id: '' },
    resource: '2',
    shown: REFUSED_AS_TEXT,
    texts: {
      ...decided('The request to pin your post', '你的动态置顶申请'),
      admin: { en: 'Your post was pinned by an administrator.', zh: '管理员置顶了你的动态。' },
    },
  },
  'pinned:feed/comment': {
    when: "a pin of a feed's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', feed: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
    texts: decided('The request to pin your comment', '你的评论置顶申请'),
  },
  'pinned:news/comment': {
    when: "a pin of an article's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', news: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
    texts: decided('The request to pin your comment', '你的评论置顶申请'),
  },
  'delete:feed/comment': {
    when: 'a moderator deletes a comment of a feed',
    who: 'its author',
    fields: { comment: '' },
    resource: '2',
    ofDeletion: true,
    texts: {
      '': { en: 'Your comment was deleted by an administrator.', zh: '管理员删除了你的评论。' },
    },
  },
  reward: {
    when: 'a user is rewarded',
    who: 'that user',
    fields: { ...GIFT, user: 'that user, without the name' },
    resource: '1',
    texts: { '': { en: 'You received a reward.', zh: '你收到了打赏。' } },
  },
  'reward:feeds': {
    when: 'a feed is rewarded',
    who: 'its author',
    fields: { ...GIFT, feed: '', feed_id: '' },
    resource: '2',
    texts: { '': { en: 'Your post received a reward.', zh: '你的动态收到了打赏。' } },
  },
  'reward:news': {
    when: 'an article is rewarded',
    who: 'its author',
    fields: { ...GIFT, unit: 'the unit of points', news: '' },
    resource: '4',
    texts: { '': { en: 'Your article received a reward.', zh: '你的资讯收到了打赏。' } },
  },
  purchase: {
    when: 'a paid node is bought with wallet money',
    who: 'its publisher',
    fields: { ...GIFT, channel: '', raw: '' },
    resource: '2, 6 or 17',
    shown: AS_TEXT,
    texts: { '': { en: 'Somebody paid for your content.', zh: '有人购买了你的付费内容。' } },
  },
  'news:pinned:accept': {
    when: 'a pin of an article is accepted or set',
    who: 'the applicant, or the author',
    fields: { state: '`passed`, `admin`', news: '' },
    resource: '4',
    shown: AS_TEXT,
    texts: {
      '': { en: 'The request to pin your article was accepted.', zh: '你的资讯置顶申请已通过。' },
    },
  },
  'news:pinned:reject': {
    when: 'a pin of an article is rejected',
    who: 'the applicant',
    fields: { state: '`rejected`', news: '' },
    resource: '4',
    shown: AS_TEXT,
    texts: {
      '': { en: 'The request to pin your article was rejected.', zh: '你的资讯置顶申请未通过。' },
    },
  },
  'news:audit': {
    when: 'an article is published after review',
    who: 'its author',
    fields: { news: '' },
    resource: '4',
    texts: { '': { en: 'Your article was published.', zh: '你的资讯已通过审核。' } },
  },
  'news:reject': {
    when: 'an article is rejected',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
    explained: true,
    texts: { '': { en: 'Your article was rejected.', zh: '你的资讯未通过审核。' } },
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
    texts: {
      '': { en: 'The request to delete your article was accepted.', zh: '你的资讯删除申请已通过。' },
    },
  },
  'news:delete:reject': {
    when: 'a request to delete an article is rejected',
    who: 'its author',
    fields: { news: '' },
    besides: REMARK,
    resource: '4',
    shown: AS_TEXT,
    explained: true,
    texts: {
      '': { en: 'The request to delete your article was rejected.', zh: '你的资讯删除申请未通过。' },
    },
  },
  'feed:topic:create:passed': {
    when: 'a topic is accepted',
    who: 'its creator',
    fields: { topic: '' },
    resource: '7',
    texts: { '': { en: 'Your topic was accepted.', zh: '你创建的话题已通过审核。' } },
  },
  'feed:topic:create:failed': {
    when: 'a topic is rejected',
    who: 'its creator',
    fields: { topic: '' },
    resource: '7',
    texts: { '': { en: 'Your topic was rejected.', zh: '你创建的话题未通过审核。' } },
  },
  'feed:topic:create:waiting': {
    when: 'never; clients know it',
    who: 'no user',
    fields: { topic: '' },
    resource: '7',
    shown: AS_TEXT,
    texts: {
      '': { en: 'Your topic is waiting for review.', zh: '你创建的话题正在等待审核。' },
    },
  },
  'user-certification': {
    when: 'a certification is decided',
    who: 'its owner',
    fields: { state: DECIDED, certification: '' },
    besides: '`contents` of a rejection ends with its reason',
    resource: '14',
    shown: DECIDED_AS_TEXT,
    explained: true,
    texts: decided('Your certification', '你的认证申请'),
  },
  'user-cash': {
    when: 'a wallet withdrawal is decided',
    who: 'the applicant',
    fields: { state: DECIDED, remark: 'if there is one' },
    resource: '15',
    texts: decided('Your withdrawal', '你的提现申请'),
  },
  'user-currency:cash': {
    when: 'a withdrawal of points is decided',
    who: 'the applicant',
    fields: { state: DECIDED, remark: 'if there is one' },
    resource: '16',
    texts: decided('Your withdrawal of points', '你的积分提现申请'),
  },
  report: {
    when: 'a report is handled by administrators',
    who: 'the reporter',
    fields: { state: DECIDED, subject: '' },
    resource: 'the reported content',
    texts: {
      ...decided('Your report', '你的举报'),
      '': { en: 'Your report was handled.', zh: '你的举报已处理。' },
    },
  },
  'qa:invitation': {
    when: 'a question invites a user to answer',
    who: 'the invited user',
    fields: { question: '' },
    resource: '8',
    texts: { '': { en: 'You were invited to answer a question.', zh: '有人邀请你回答问题。' } },
  },
  'question:answer': {
    when: 'a question is answered',
    who: 'the asker',
    fields: { question: '', answer: '' },
    resource: '9',
    shown: AS_TEXT,
    texts: { '': { en: 'Your question was answered.', zh: '你的问题有了新回答。' } },
  },
  'qa:answer-adoption': {
    when: 'an answer is adopted',
    who: 'its author',
    fields: { question: '', answer: '' },
    resource: '9',
    texts: { '': { en: 'Your answer was adopted.', zh: '你的回答被采纳了。' } },
  },
  'qa:reward': {
    when: 'an answer is rewarded',
    who: 'its author',
    fields: { ...GIFT, answer: '' },
    resource: '9',
    texts: { '': { en: 'Your answer received a reward.', zh: '你的回答收到了打赏。' } },
  },
  'qa:onlook': {
    when: 'a user pays to see an answer',
    who: 'the asker',
    fields: { question: '', answer: '', ...GIFT },
    resource: '9',
    shown: AS_TEXT,
    texts: {
      '': { en: 'Somebody paid to see an answer to your question.', zh: '有人付费围观了你问题下的回答。' },
    },
  },
  'qa:question-topic:accept': {
    when: 'a proposed question topic is accepted',
    who: 'its proposer',
    fields: { state: '`passed`', topic_application: '', topic: '' },
    resource: '10',
    texts: {
      '': { en: 'The topic you proposed was accepted.', zh: '你申请的问答话题已通过。' },
    },
  },
  'qa:question-topic:reject': {
    when: 'a proposed question topic is rejected',
    who: 'its proposer',
    fields: { state: '`rejected`', topic_application: '', topic: 'id 0' },
    resource: '10, id 0',
    texts: {
      '': { en: 'The topic you proposed was rejected.', zh: '你申请的问答话题未通过。' },
    },
  },
  'qa:question-excellent:accept': {
    when: 'a question becomes an excellent one',
    who: 'the applicant',
    fields: { state: '`passed`', question: '', application: '' },
    resource: '8',
    texts: {
      '': { en: 'Your question was marked as excellent.', zh: '你的问题精选申请已通过。' },
    },
  },
  'qa:question-excellent:reject': {
    when: 'the request for it is rejected',
    who: 'the applicant',
    fields: { state: '`rejected`', question: '', application: '' },
    resource: '8',
    texts: {
      '': {
        en: 'The request to mark your question as excellent was rejected.',
        zh: '你的问题精选申请未通过。',
      },
    },
  },
  'follow:request': {
    when: 'a user asks to follow a private account (relations-9)',
    who: 'its owner',
    fields: { user: '' },
    resource: '1',
    shown: AS_TEXT,
    texts: { '': { en: 'Somebody asks to follow you.', zh: '有人申请关注你。' } },
  },
  'follow:accept': {
    when: 'a request to follow is accepted',
    who: 'the user who asked',
    fields: { user: '' },
    resource: '1',
    shown: AS_TEXT,
    texts: { '': { en: 'Your request to follow was accepted.', zh: '你的关注申请已通过。' } },
  },
  ...GROUP_NOTICES,
} satisfies Record<string, SystemNotice>

export type SystemType = keyof typeof NOTICES
export const SYSTEM_NOTICES: Readonly<Record<SystemType, SystemNotice>> = NOTICES
export const SYSTEM_TYPES = Object.keys(NOTICES) as SystemType[]

export const systemNotice = (type: unknown): SystemNotice | undefined =>
  Object.hasOwn(SYSTEM_NOTICES, String(type)) ? SYSTEM_NOTICES[type as SystemType] : undefined

export function sentenceOf(type: unknown, state: unknown, language: Language): string {
  const texts = systemNotice(type)?.texts
  // Older versions of Kith stored the state `reject` instead of `rejected`.
  const text = texts?.[state === 'reject' ? 'rejected' : String(state ?? '')] ?? texts?.['']
  return text?.[language] ?? ''
}

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
