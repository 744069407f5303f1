import { invalidField } from '#platform/errors.ts'

/** Nobody has the id that is replied to. */
export const unknownPerson = () =>
  invalidField('reply_user', { en: 'There is no such person.', zh: '被回复的用户不存在。' })

/** The same `comment_mark` again within three seconds. */
export const sentTwice = () =>
  invalidField('comment_mark', {
    en: 'This comment was sent already.',
    zh: '评论已发送，请勿重复提交。',
  })

/** Ids of content without its kind. */
export const typeMissing = () =>
  invalidField('resourceable_type', {
    en: 'The resourceable_type field is required with resourceable_id.',
    zh: '提供 resourceable_id 时 resourceable_type 不能为空。',
  })
