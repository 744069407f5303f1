import { type SettingsOf, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Nullable, Text } from '#platform/http'

export const TOPIC_SETTINGS = {
  'feed:topic:need-review': setting(Flag(), false, {
    label: ['Review of new topics', '话题审核'],
    help: ['New topics stay hidden until a moderator accepts them.', '用户创建的话题需审核通过后才会公开。'],
  }),
  'feed:topic:default-logo': setting(Nullable(Text(512, { 'x-picture': true })), null, {
    label: ['Default picture of topics', '话题默认图片'],
    help: [
      'Topics without a picture show this one. The value is the node of a stored picture.',
      '没有图片的话题将显示此图片。',
    ],
    see: 'topics-16',
  }),
}

export const readTopicSettings = settingsReader(TOPIC_SETTINGS)

export type TopicSettings = SettingsOf<typeof TOPIC_SETTINGS>
