import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of topics. */
export const topicPersonal = [
  personalTable({
    file: 'topics',
    about: { en: 'Topics you made', zh: '您创建的话题' },
    table: 'feed_topics',
    owner: 'creator_user_id',
    key: ['id'],
    columns: ['id', 'name', 'desc', 'logo', 'status', 'created_at', 'updated_at'],
  }),
  personalTable({
    file: 'topics-followed',
    about: { en: 'Topics you follow or wrote into', zh: '您关注或参与的话题' },
    table: 'feed_topic_users',
    key: ['topic_id'],
    columns: ['topic_id', 'followed_at', 'feeds_count', 'participated_at'],
    extra: (sql) => sql`, (select o.name from feed_topics o where o.id = t.topic_id) as name`,
  }),
]
