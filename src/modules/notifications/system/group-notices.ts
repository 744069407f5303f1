import { AS_TEXT, DECIDED, DECIDED_AS_TEXT, decided, GIFT, type SystemNotice } from './fields.ts'

const reported = (
  what: string,
  resource: string,
  fields: SystemNotice['fields'],
  texts: SystemNotice['texts'],
): SystemNotice => ({
  texts,
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
    texts: {
      '': { en: 'Somebody joined your group or asked to join it.', zh: '有人加入或申请加入你的圈子。' },
    },
  },
  'group:join:accept': {
    when: 'a request to join is accepted',
    who: 'the applicant',
    fields: { group: '', state: '`passed`' },
    resource: '11',
    shown: { type: 'group:join', state: 'passed' },
    texts: {
      '': { en: 'You were accepted into the group.', zh: '你加入圈子的申请已通过。' },
    },
  },
  'group:join:reject': {
    when: 'a request to join is rejected',
    who: 'the applicant',
    fields: { group: '', state: '`rejected`' },
    resource: '11',
    shown: { type: 'group:join', state: 'rejected' },
    texts: {
      '': { en: 'Your request to join the group was rejected.', zh: '你加入圈子的申请未通过。' },
    },
  },
  'group:audit': {
    when: 'a group is accepted or rejected',
    who: 'its founder',
    fields: { state: DECIDED, group: '' },
    resource: '11',
    texts: decided('Your group', '你创建的圈子'),
  },
  'group:transform': {
    when: 'never; imports of older communities contain it',
    who: 'the new founder',
    fields: { group: '', user: '' },
    resource: '11',
    texts: { '': { en: 'A group was transferred to you.', zh: '有圈子转让给了你。' } },
  },
  'group:transfer': {
    when: 'a group is transferred',
    who: 'the new founder',
    fields: { group: '', user: 'the previous founder' },
    resource: '11',
    shown: { type: 'group:transform' },
    texts: { '': { en: 'A group was transferred to you.', zh: '有圈子转让给了你。' } },
  },
  'group:open': {
    when: 'the founder makes a private group a paid or public one, or a paid one public (groups-2)',
    who: 'its other members',
    fields: { group: '' },
    resource: '11',
    shown: AS_TEXT,
    texts: {
      '': {
        en: 'One of your groups was opened. More people can now read its posts, including earlier ones.',
        zh: '你加入的圈子已设为公开，更多人可以看到其中的帖子，包括以前的帖子。',
      },
    },
  },
  'group:post-reward': {
    when: 'a group post is rewarded',
    who: 'its author',
    fields: { ...GIFT, post: '', group_id: '' },
    resource: '12',
    texts: { '': { en: 'Your post received a reward.', zh: '你的帖子收到了打赏。' } },
  },
  'group:post-pinned': {
    when: 'a pin of a group post is decided, or set by a manager',
    who: 'the applicant, or the author',
    fields: { state: `${DECIDED}, \`admin\``, post: '', group_id: '' },
    resource: '12',
    shown: { type: 'group:pinned-admin', states: ['admin'] },
    texts: {
      ...decided('The request to pin your post', '你的帖子置顶申请'),
      admin: { en: 'Your post was pinned by a manager of the group.', zh: '圈子管理员置顶了你的帖子。' },
    },
  },
  'group:comment-pinned': {
    when: "a pin of a group post's comment is decided",
    who: 'the applicant',
    fields: { state: DECIDED, comment: '', post: '', group_id: '' },
    resource: '3',
    shown: DECIDED_AS_TEXT,
    texts: decided('The request to pin your comment', '你的评论置顶申请'),
  },
  'group:send-comment-pinned': {
    when: 'a user asks to pin a comment of a group post',
    who: "the post's author",
    fields: { post: '', group_id: '' },
    resource: '3',
    texts: {
      '': { en: 'Somebody asked to pin a comment on your post.', zh: '有人申请在你的帖子下置顶评论。' },
    },
  },
  'group:report-post': reported(
    'group post',
    '12',
    {},
    {
      ...decided('The report of a post in a group', '对圈子帖子的举报'),
      '': { en: 'A post in your group was reported.', zh: '你的圈子里有帖子被举报。' },
    },
  ),
  'group:report-comment': reported(
    'comment of a group post',
    '3',
    { comment: '' },
    {
      ...decided('The report of a comment in a group', '对圈子评论的举报'),
      '': { en: 'A comment in your group was reported.', zh: '你的圈子里有评论被举报。' },
    },
  ),
} satisfies Record<string, SystemNotice>
