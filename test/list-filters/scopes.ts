type Scope = {
  /** SQL that selects all rows that belong to the parent with the id, including hidden rows. */
  rows: (id: number) => string
}

const from = (table: string, parent: string, id = 'id'): Scope => ({
  rows: (value) => `select ${id} as id from ${table} where ${parent} = ${value}`,
})
const comments = (type: string): Scope => from('comments', `commentable_type = '${type}' and commentable_id`)
/** Includes pinned comments, because random pins of the test data refer to comments of other content. */
const withPinned = (type: string, channel: string): Scope => ({
  rows: (value) => `${comments(type).rows(value)}
    union all select target_id from pins where channel = '${channel}:comment' and thing_id = ${value}`,
})
const likes = (type: string): Scope => from('likes', `likeable_type = '${type}' and likeable_id`)
const rewards = (type: string): Scope => from('rewards', `rewardable_type = '${type}' and rewardable_id`)
const postings = (currency: string): Scope => from('ledger_postings', `currency = '${currency}' and owner_id`)

export const SCOPES: Record<string, Scope | { reason: string }> = {
  'admin/account-waves/{wave}/accounts': {
    rows: (value) => `select user_id as id from account_wave_members where wave_id = ${value}`,
  },
  'admin/feeds/{feed}/comments': comments('feeds'),
  'admin/question-topics/{topic}/experts': from('question_topic_experts', 'topic_id', 'user_id'),
  'admin/users/{user}/history': {
    rows: (value) =>
      `select unnest(array['report-' || id, 'decision-' || id]) as id from reports where target_user = ${value}
       union all select 'appeal-' || id from appeals where user_id = ${value}
       union all select 'record-' || id from audit_log where subject_type = 'users' and subject_id = '${value}'`,
  },
  'admin/users/{user}/points': postings('points'),
  'admin/users/{user}/sessions': from('token_families', 'user_id'),
  'admin/users/{user}/wallet': postings('wallet'),
  'admin/webhooks/{webhook}/deliveries': from('webhook_deliveries', 'endpoint_id'),
  'advertisingspace/{space}/advertising': from('advertising', 'space_id'),
  'categories/{category}/groups': from('groups', 'category_id'),
  'chats/{chat}/messages': from('chat_messages', 'chat_id'),
  'feed/topics/{topicID}/feeds': from('feed_topic_links', 'topic_id', 'feed_id'),
  'feed/topics/{topicID}/participants': from('feed_topic_users', 'topic_id', 'user_id'),
  'feeds/{feed}/comments': withPinned('feeds', 'feed'),
  'feeds/{feed}/likes': likes('feeds'),
  'feeds/{feed}/rewards': rewards('feeds'),
  'group-posts/{post}/comments': withPinned('group-posts', 'group-post'),
  'group-posts/{post}/likes': likes('group-posts'),
  'group-posts/{post}/rewards': rewards('group-posts'),
  'groups/{group}/incomes': from('group_incomes', 'group_id'),
  'groups/{group}/members': from('group_members', 'group_id'),
  'groups/{group}/posts': from('group_posts', 'group_id'),
  'groups/{group}/preview-posts': from('group_posts', 'group_id'),
  'music/specials/{special}/comments': comments('music_specials'),
  'music/{music}/comments': comments('musics'),
  'news/{news}/comments': withPinned('news', 'news'),
  'news/{news}/correlations': { reason: 'lists other articles' },
  'news/{news}/likes': likes('news'),
  'news/{news}/rewards': rewards('news'),
  'question-answers/{answer}/comments': comments('question-answers'),
  'question-answers/{answer}/likes': likes('question-answers'),
  'question-answers/{answer}/rewarders': rewards('question-answers'),
  'question-topics/{topic}/experts': from('question_topic_experts', 'topic_id', 'user_id'),
  'question-topics/{topic}/questions': from('question_topic_links', 'topic_id', 'question_id'),
  'questions/{question}/answers': from('answers', 'question_id'),
  'questions/{question}/comments': comments('questions'),
  'users/{user}/followers': from('user_follows', 'target_id', 'user_id'),
  'users/{user}/followings': from('user_follows', 'user_id', 'target_id'),
  'users/{user}/tags': from('user_tags', 'user_id', 'tag_id'),
}
