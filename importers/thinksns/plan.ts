import type { Plan } from './database/run.ts'
import type { FindOwners } from './database/table.ts'
import { ownersOf } from './database/write.ts'
import { dropSpares, numberLists, recountAll, setIdentities } from './finish.ts'
import { abilityTables, roleUsers } from './modules/abilities.ts'
import { lockPeople, showAvatars, unlockPeople } from './modules/accounts/steps.ts'
import { accountTables, extraTables } from './modules/accounts/tables.ts'
import { advertisingTables } from './modules/advertising.ts'
import { areaTables } from './modules/areas.ts'
import { certificationTables, showBadges } from './modules/certifications.ts'
import { checkinTables } from './modules/checkins.ts'
import { collectionTables } from './modules/collections.ts'
import { commentTables } from './modules/comments.ts'
import { conversationTables } from './modules/conversations.ts'
import { feedTables, settleFeeds } from './modules/feeds.ts'
import { findNumberedPictures } from './modules/files/numbered.ts'
import { copyPictures } from './modules/files/pictures.ts'
import { copyUploads, fileTables } from './modules/files/uploads.ts'
import { attachUses } from './modules/files/uses.ts'
import {
  clearFounders,
  clearGroupAvatars,
  groupReportTables,
  groupTables,
  settleGroups,
  tagGroups,
} from './modules/groups/tables.ts'
import { imTables } from './modules/im.ts'
import { balanceTables, bookBalances, oldWalletTables } from './modules/ledger/balances.ts'
import { orderTables } from './modules/ledger/orders.ts'
import { convertPayouts, dropOwnWithdrawals } from './modules/ledger/withdrawals.ts'
import { likeTables } from './modules/likes.ts'
import { linkTables } from './modules/linked-accounts.ts'
import { musicTables } from './modules/music.ts'
import { embedPictures } from './modules/news/pictures.ts'
import { newsTables, tagNews } from './modules/news/tables.ts'
import { findReturned, notificationTables, withdrawUnread } from './modules/notifications.ts'
import { dropOwnPins, pinTables } from './modules/pinning/tables.ts'
import { priceTables, purchaseTables } from './modules/purchases.ts'
import { questionTables, settleQuestions, showTopicPictures } from './modules/questions/tables.ts'
import { reportTables } from './modules/reports.ts'
import { rewardTables } from './modules/rewards.ts'
import { settingTables } from './modules/settings.ts'
import { tagged, tagPeople, tagTables } from './modules/tags.ts'
import { forgetParticipants, showLogos, topicTables } from './modules/topics.ts'
import { wordTables } from './modules/words.ts'

export const PLAN: Plan = [
  ...abilityTables,
  ...settingTables,
  ...wordTables,
  ...areaTables,
  ...advertisingTables,
  unlockPeople,
  ...accountTables,
  ...linkTables,
  roleUsers,
  lockPeople,
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
  clearFounders,
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
  ...extraTables,
  ...certificationTables,
  ...purchaseTables,
  dropOwnPins,
  ...pinTables,
  dropOwnWithdrawals,
  ...orderTables,
  convertPayouts,
  ...balanceTables,
  ...oldWalletTables,
  ...conversationTables,
  findReturned,
  ...notificationTables,
  ...imTables,
  embedPictures,
  attachUses,
  findNumberedPictures,
  copyPictures,
  showAvatars,
  showLogos,
  showTopicPictures,
  showBadges,
  setIdentities,
  numberLists,
  settleGroups,
  dropSpares,
  settleFeeds,
  forgetParticipants,
  withdrawUnread,
  recountAll,
  bookBalances,
]

const live =
  (table: string): FindOwners =>
  async (sql, ids) => {
    const rows = await sql<{ id: number; owner: number }[]>`
      select id, case when deleted_at is null then user_id else 0 end as owner from ${sql(table)} where id = any(${ids})`
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }

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
