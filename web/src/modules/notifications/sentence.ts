import type { Schema } from '@kith/client'
import { timeOf } from '../../app/time.ts'
import type { Language } from '../../app/words.ts'
import { words } from '../../app/words.ts'
import type { Type } from './unread.ts'

type Notification = Schema<'Notification'>

const WORDS = words({
  at: ['mentioned you', '提到了你'],
  follow: ['followed you', '关注了你'],
  reply: ['replied to you', '回复了你'],
  comment: [(thing: string) => `commented on ${thing}`, (thing: string) => `评论了${thing}`],
  like: [(thing: string) => `likes ${thing}`, (thing: string) => `赞了${thing}`],
  feeds: ['your post', '你的动态'],
  news: ['your article', '你的资讯'],
  questions: ['your question', '你的问题'],
  'question-answers': ['your answer', '你的回答'],
  'group-posts': ['your group post', '你的帖子'],
  comments: ['your comment', '你的评论'],
  other: ['what you published', '你发布的内容'],
  until: [(time: string) => `Until ${time}`, (time: string) => `截止时间：${time}`],
})

export function sentenceOf(type: Type, { data }: Notification, language: Language): string {
  const t = WORDS[language]
  if (type === 'system') return data.contents
  if (type === 'at' || type === 'follow') return t[type]
  if (type === 'comment' && (data as { hasReply?: boolean }).hasReply) return t.reply
  const { type: kind } = data.commentable
  const thing = kind in t && typeof t[kind as 'feeds'] === 'string' ? t[kind as 'feeds'] : t.other
  return t[type](thing)
}

export function detailsOf(
  type: Type,
  { data }: Notification,
  language: Language,
  format: (time: Date, form: 'minute') => string,
): string[] {
  if (type !== 'system') return data.contents ? [data.contents] : []
  const amount = data.amount === undefined ? undefined : `${data.amount} ${data.unit ?? ''}`.trim()
  return [
    data.news?.title,
    data.question?.subject,
    data.answer?.body,
    data.group?.name,
    data.post?.title,
    data.topic_application?.name ?? data.topic?.name,
    data.comment?.contents,
    amount,
    data.remark,
    data.ends_at && WORDS[language].until(format(timeOf(data.ends_at), 'minute')),
  ].filter((each): each is string => Boolean(each))
}
