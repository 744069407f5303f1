import { abilityTables, roleUsers } from '#modules/abilities/index.ts'
import { accountTables, disablePeople, showAvatars } from '#modules/accounts/index.ts'
import { advertisingTables } from '#modules/advertising/index.ts'
import { areaTables } from '#modules/areas/index.ts'
import { certificationTables, showBadges } from '#modules/certifications/index.ts'
import { checkinTables } from '#modules/checkins/index.ts'
import { collectionTables } from '#modules/collections/index.ts'
import { commentTables } from '#modules/comments/index.ts'
import { conversationTables } from '#modules/conversations/index.ts'
import { feedTables, settleFeeds } from '#modules/feeds/index.ts'
import { copyPictures, copyUploads, fileTables } from '#modules/files/index.ts'
import {
  clearGroupAvatars,
  groupReportTables,
  groupTables,
  settleGroups,
  tagGroups,
} from '#modules/groups/index.ts'
import { imTables } from '#modules/im/index.ts'
import { balanceTables, bookBalances, oldWalletTables, orderTables } from '#modules/ledger/index.ts'
import { likeTables } from '#modules/likes/index.ts'
import { linkTables } from '#modules/linked-accounts/index.ts'
import { musicTables } from '#modules/music/index.ts'
import { newsTables, tagNews } from '#modules/news/index.ts'
import { notificationTables } from '#modules/notifications/index.ts'
import { pinTables } from '#modules/pinning/index.ts'
import { priceTables, purchaseTables } from '#modules/purchases/index.ts'
import { questionTables, settleQuestions, showTopicPictures } from '#modules/questions/index.ts'
import { reportTables } from '#modules/reports/index.ts'
import { rewardTables } from '#modules/rewards/index.ts'
import { settingTables } from '#modules/settings/index.ts'
import { tagged, tagPeople, tagTables } from '#modules/tags/index.ts'
import { showLogos, topicTables } from '#modules/topics/index.ts'
import { wordTables } from '#modules/words/index.ts'
import type { Plan } from '#platform/database-import/run.ts'
import type { FindOwners } from '#platform/database-import/table.ts'
import { ownersOf } from '#platform/database-import/write.ts'
import { recountAll, setIdentities } from './finish.ts'

/** Everything that comes along, each thing after what it refers to. */
export const PLAN: Plan = [
  ...abilityTables,
  ...settingTables,
  ...wordTables,
  ...areaTables,
  ...advertisingTables,
  ...accountTables,
  ...linkTables,
  roleUsers,
  disablePeople,
  clearGroupAvatars,
  ...fileTables,
  copyUploads,
  ...tagTables,
  ...topicTables,
  ...priceTables,
  ...feedTables,
  ...musicTables,
  ...newsTables,
  ...questionTables,
  ...groupTables,
  settleQuestions,
  tagged({ users: tagPeople, news: tagNews, groups: tagGroups }),
  ...commentTables,
  ...likeTables,
  ...collectionTables,
  ...rewardTables,
  ...groupReportTables,
  ...reportTables,
  ...checkinTables,
  ...certificationTables,
  ...purchaseTables,
  ...pinTables,
  ...orderTables,
  ...balanceTables,
  ...oldWalletTables,
  ...conversationTables,
  ...notificationTables,
  ...imTables,
  copyPictures,
  showAvatars,
  showLogos,
  showTopicPictures,
  showBadges,
  setIdentities,
  settleGroups,
  recountAll,
  settleFeeds,
  bookBalances,
]

/** Content that nobody may see any more: what is done to it counts for nobody. */
const live =
  (table: string): FindOwners =>
  async (sql, ids) => {
    const rows = await sql<{ id: number; owner: number }[]>`
      select id, case when deleted_at is null then user_id else 0 end as owner from ${sql(table)} where id = any(${ids})`
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }

/** Where what rows refer to is found, and who published it. */
export const THINGS: Record<string, FindOwners> = {
  users: ownersOf('users', 'id'),
  'feed-topics': ownersOf('feed_topics', 'creator_user_id'),
  feeds: live('feeds'),
  'live-feeds': async (sql, ids) => {
    const rows = await sql<{ id: number; user_id: number }[]>`
      select id, user_id from feeds where id = any(${ids}) and deleted_at is null`
    return new Map(rows.map(({ id, user_id }) => [id, user_id]))
  },
  musics: ownersOf('music_songs'),
  music_specials: ownersOf('music_specials'),
  news: ownersOf('news', 'user_id'),
  questions: ownersOf('questions', 'user_id'),
  'question-topics': ownersOf('question_topics'),
  'question-answers': ownersOf('answers', 'user_id'),
  groups: ownersOf('groups', 'user_id'),
  'group-posts': ownersOf('group_posts', 'user_id'),
  'groups-of-posts': ownersOf('group_posts', 'group_id'),
  comments: async (sql, ids) => {
    const rows = await sql<{ id: number; user_id: number }[]>`
      select id, user_id from comments where id = any(${ids})`
    return new Map(rows.map(({ id, user_id }) => [id, user_id]))
  },
}
