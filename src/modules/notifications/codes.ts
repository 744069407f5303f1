import { contentCode } from '#contracts/content.ts'
import type { Language, Text } from '#platform/errors.ts'

/**
 * Integers in `resource.type` of system notifications (notifications-8). Clients store them, so never change
 * or reuse a number.
 */
export const RESOURCE_CODES = {
  other: 0,
  users: 1,
  comments: 3,
  'feed-topics': 7,
  'question-topics': 10,
  reports: 13,
  certifications: 14,
  'wallet-cashes': 15,
  'currency-cashes': 16,
  'paid-nodes': 17,
  notices: 18,
} as const

export const resourceCode = (kind: string): number =>
  (RESOURCE_CODES as Record<string, number | undefined>)[kind] ?? contentCode(kind) ?? RESOURCE_CODES.other

const DECIDED = (en: string, zh: string) => ({
  passed: { en: `${en} was accepted.`, zh: `${zh}已通过。` },
  rejected: { en: `${en} was rejected.`, zh: `${zh}未通过。` },
})

const SENTENCES = {
  'account:changed': {
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
  'account:export': {
    ready: { en: 'Your data export is ready to download.', zh: '你的数据导出已完成，可以下载。' },
    failed: {
      en: 'Your data could not be exported. Please request a new export.',
      zh: '你的数据导出失败，请重新申请。',
    },
    '': { en: 'The state of your data export changed.', zh: '你的数据导出有新的进展。' },
  },
  sanction: {
    warning: { en: 'You were warned.', zh: '你收到一次警告。' },
    silence: { en: 'You may read, but not write for now.', zh: '你已被禁言。' },
    suspension: { en: 'Your account was suspended.', zh: '你的账号已被封禁。' },
    lifted: { en: 'A sanction against you was lifted.', zh: '对你的处罚已解除。' },
    rejected: { en: 'Your appeal was rejected.', zh: '你的申诉未通过。' },
    '': { en: 'A decision was made about your account.', zh: '你的账号有新的处理结果。' },
  },
  notice: { '': { en: 'There is a new notice.', zh: '你有一条新公告。' } },
  'pinned:feeds': {
    ...DECIDED('The request to pin your post', '你的动态置顶申请'),
    admin: { en: 'Your post was pinned by an administrator.', zh: '管理员置顶了你的动态。' },
  },
  'pinned:feed/comment': DECIDED('The request to pin your comment', '你的评论置顶申请'),
  'pinned:news/comment': DECIDED('The request to pin your comment', '你的评论置顶申请'),
  'delete:feed/comment': {
    '': { en: 'Your comment was deleted by an administrator.', zh: '管理员删除了你的评论。' },
  },
  reward: { '': { en: 'You received a reward.', zh: '你收到了打赏。' } },
  'reward:feeds': { '': { en: 'Your post received a reward.', zh: '你的动态收到了打赏。' } },
  'reward:news': { '': { en: 'Your article received a reward.', zh: '你的资讯收到了打赏。' } },
  purchase: { '': { en: 'Somebody paid for your content.', zh: '有人购买了你的付费内容。' } },
  'news:pinned:accept': {
    '': { en: 'The request to pin your article was accepted.', zh: '你的资讯置顶申请已通过。' },
  },
  'news:pinned:reject': {
    '': { en: 'The request to pin your article was rejected.', zh: '你的资讯置顶申请未通过。' },
  },
  'news:audit': { '': { en: 'Your article was published.', zh: '你的资讯已通过审核。' } },
  'news:reject': { '': { en: 'Your article was rejected.', zh: '你的资讯未通过审核。' } },
  'news:delete:accept': {
    '': { en: 'The request to delete your article was accepted.', zh: '你的资讯删除申请已通过。' },
  },
  'news:delete:reject': {
    '': { en: 'The request to delete your article was rejected.', zh: '你的资讯删除申请未通过。' },
  },
  'feed:topic:create:passed': { '': { en: 'Your topic was accepted.', zh: '你创建的话题已通过审核。' } },
  'feed:topic:create:failed': { '': { en: 'Your topic was rejected.', zh: '你创建的话题未通过审核。' } },
  'feed:topic:create:waiting': {
    '': { en: 'Your topic is waiting for review.', zh: '你创建的话题正在等待审核。' },
  },
  'user-certification': DECIDED('Your certification', '你的认证申请'),
  'user-cash': DECIDED('Your withdrawal', '你的提现申请'),
  'user-currency:cash': DECIDED('Your withdrawal of points', '你的积分提现申请'),
  report: {
    ...DECIDED('Your report', '你的举报'),
    '': { en: 'Your report was handled.', zh: '你的举报已处理。' },
  },
  'qa:invitation': { '': { en: 'You were invited to answer a question.', zh: '有人邀请你回答问题。' } },
  'question:answer': { '': { en: 'Your question was answered.', zh: '你的问题有了新回答。' } },
  'qa:answer-adoption': { '': { en: 'Your answer was adopted.', zh: '你的回答被采纳了。' } },
  'qa:reward': { '': { en: 'Your answer received a reward.', zh: '你的回答收到了打赏。' } },
  'qa:onlook': {
    '': { en: 'Somebody paid to see an answer to your question.', zh: '有人付费围观了你问题下的回答。' },
  },
  'qa:question-topic:accept': {
    '': { en: 'The topic you proposed was accepted.', zh: '你申请的问答话题已通过。' },
  },
  'qa:question-topic:reject': {
    '': { en: 'The topic you proposed was rejected.', zh: '你申请的问答话题未通过。' },
  },
  'qa:question-excellent:accept': {
    '': { en: 'Your question was marked as excellent.', zh: '你的问题精选申请已通过。' },
  },
  'qa:question-excellent:reject': {
    '': {
      en: 'The request to mark your question as excellent was rejected.',
      zh: '你的问题精选申请未通过。',
    },
  },
  'follow:request': { '': { en: 'Somebody asks to follow you.', zh: '有人申请关注你。' } },
  'follow:accept': { '': { en: 'Your request to follow was accepted.', zh: '你的关注申请已通过。' } },
  'group:join': {
    '': { en: 'Somebody joined your group or asked to join it.', zh: '有人加入或申请加入你的圈子。' },
  },
  'group:join:accept': {
    '': { en: 'You were accepted into the group.', zh: '你加入圈子的申请已通过。' },
  },
  'group:join:reject': {
    '': { en: 'Your request to join the group was rejected.', zh: '你加入圈子的申请未通过。' },
  },
  'group:audit': DECIDED('Your group', '你创建的圈子'),
  'group:transform': { '': { en: 'A group was transferred to you.', zh: '有圈子转让给了你。' } },
  'group:transfer': { '': { en: 'A group was transferred to you.', zh: '有圈子转让给了你。' } },
  'group:open': {
    '': {
      en: 'One of your groups was opened. More people can now read its posts, including earlier ones.',
      zh: '你加入的圈子已设为公开，更多人可以看到其中的帖子，包括以前的帖子。',
    },
  },
  'group:post-reward': { '': { en: 'Your post received a reward.', zh: '你的帖子收到了打赏。' } },
  'group:post-pinned': {
    ...DECIDED('The request to pin your post', '你的帖子置顶申请'),
    admin: { en: 'Your post was pinned by a manager of the group.', zh: '圈子管理员置顶了你的帖子。' },
  },
  'group:comment-pinned': DECIDED('The request to pin your comment', '你的评论置顶申请'),
  'group:send-comment-pinned': {
    '': { en: 'Somebody asked to pin a comment on your post.', zh: '有人申请在你的帖子下置顶评论。' },
  },
  'group:report-post': {
    ...DECIDED('The report of a post in a group', '对圈子帖子的举报'),
    '': { en: 'A post in your group was reported.', zh: '你的圈子里有帖子被举报。' },
  },
  'group:report-comment': {
    ...DECIDED('The report of a comment in a group', '对圈子评论的举报'),
    '': { en: 'A comment in your group was reported.', zh: '你的圈子里有评论被举报。' },
  },
} as const satisfies Record<string, Record<string, Text>>

export type SystemType = keyof typeof SENTENCES
export const SYSTEM_TYPES = Object.keys(SENTENCES) as SystemType[]

export function sentenceOf(type: unknown, state: unknown, language: Language): string {
  const byState = (SENTENCES as Record<string, Record<string, Text> | undefined>)[String(type)]
  // Older versions of Kith stored the state `reject` instead of `rejected`.
  const text = byState?.[state === 'reject' ? 'rejected' : String(state ?? '')] ?? byState?.['']
  return text?.[language] ?? ''
}
