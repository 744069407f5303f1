import { adminRoleRoutes } from '#modules/abilities/admin/routes.ts'
import { abilityRoutes } from '#modules/abilities/routes.ts'
import { adminAppealRoutes } from '#modules/accounts/admin/appeals/routes.ts'
import { adminFamousRoutes } from '#modules/accounts/admin/famous/routes.ts'
import { adminInvitationRoutes } from '#modules/accounts/admin/invitations/routes.ts'
import { adminRecommendationRoutes } from '#modules/accounts/admin/recommended/routes.ts'
import { adminRequestRoutes } from '#modules/accounts/admin/requests/routes.ts'
import { adminUserRoutes } from '#modules/accounts/admin/routes.ts'
import { adminSanctionRoutes } from '#modules/accounts/admin/sanctions/routes.ts'
import { adminSessionRoutes } from '#modules/accounts/admin/sessions/routes.ts'
import { appealRoutes } from '#modules/accounts/appeals/routes.ts'
import { blockRoutes } from '#modules/accounts/blocks/routes.ts'
import { codeRoutes } from '#modules/accounts/codes/routes.ts'
import { deletionRoutes } from '#modules/accounts/deletion/routes.ts'
import { discoveryRoutes } from '#modules/accounts/discovery/routes.ts'
import { archiveBytesRoutes, exportRoutes } from '#modules/accounts/exports/routes.ts'
import { followRoutes } from '#modules/accounts/follows/routes.ts'
import { checkPaymentPassword, isUser, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { invitationRoutes } from '#modules/accounts/invitations/routes.ts'
import { passwordRoutes } from '#modules/accounts/passwords/routes.ts'
import { profileRoutes } from '#modules/accounts/profile/routes.ts'
import { registrationRoutes } from '#modules/accounts/registration/routes.ts'
import { sanctionRoutes } from '#modules/accounts/sanctions/routes.ts'
import { secondFactorRoutes } from '#modules/accounts/second-factor/routes.ts'
import { sessionRoutes } from '#modules/accounts/sessions/routes.ts'
import { signInRoutes } from '#modules/accounts/sign-in/routes.ts'
import { userRoutes } from '#modules/accounts/users/routes.ts'
import { adminAddressBlockRoutes } from '#modules/address-blocks/admin/routes.ts'
import { adminAdvertisingRoutes } from '#modules/advertising/admin/routes.ts'
import { readBootAdvertisements } from '#modules/advertising/index.ts'
import { advertisingRoutes } from '#modules/advertising/routes.ts'
import { adminAreaRoutes } from '#modules/areas/admin/routes.ts'
import { areaRoutes } from '#modules/areas/routes.ts'
import { auditRoutes } from '#modules/audit/routes.ts'
import { adminCertificationCategoryRoutes } from '#modules/certifications/admin/categories/routes.ts'
import { adminCertificationRoutes } from '#modules/certifications/admin/routes.ts'
import { endCertification } from '#modules/certifications/index.ts'
import { certificationRoutes } from '#modules/certifications/routes.ts'
import { checkinRoutes } from '#modules/checkins/routes.ts'
import { commentContent, commentRemoval } from '#modules/comments/index.ts'
import { commentRoutes } from '#modules/comments/routes.ts'
import { adminConversationRoutes } from '#modules/conversations/admin/routes.ts'
import { conversationRoutes } from '#modules/conversations/routes.ts'
import { adminFeedPinRoutes } from '#modules/feeds/admin/pins/routes.ts'
import { adminFeedRoutes } from '#modules/feeds/admin/routes.ts'
import { feedPost } from '#modules/feeds/index.ts'
import { feedPinRoutes } from '#modules/feeds/pins/routes.ts'
import { feedRankRoutes } from '#modules/feeds/ranks/routes.ts'
import { feedRoutes } from '#modules/feeds/routes.ts'
import { feedTimelineRoutes } from '#modules/feeds/timelines/routes.ts'
import { nodeBytesRoutes, nodeRoutes } from '#modules/files/nodes/routes.ts'
import { oldAddressRoutes } from '#modules/files/old-addresses/routes.ts'
import { uploadBytesRoutes } from '#modules/files/uploads/routes.ts'
import { adminGroupCategoryRoutes } from '#modules/groups/admin/categories/routes.ts'
import { adminGroupPostRoutes } from '#modules/groups/admin/posts/routes.ts'
import { adminGroupRoutes } from '#modules/groups/admin/routes.ts'
import { groupCategoryRoutes } from '#modules/groups/categories/routes.ts'
import { groupIncomeRoutes } from '#modules/groups/incomes/routes.ts'
import { groupMemberRoutes } from '#modules/groups/members/routes.ts'
import { groupPinRoutes } from '#modules/groups/pins/routes.ts'
import { groupPostRoutes } from '#modules/groups/posts/routes.ts'
import { groupReportRoutes } from '#modules/groups/reports/routes.ts'
import { groupRoleRoutes } from '#modules/groups/roles/routes.ts'
import { groupRoutes } from '#modules/groups/routes.ts'
import { imAccountRoutes } from '#modules/im/accounts/routes.ts'
import { adminImRoutes } from '#modules/im/admin/routes.ts'
import { imGroupRoutes } from '#modules/im/groups/routes.ts'
import { adminLedgerAuditRoutes } from '#modules/ledger/admin/audit/routes.ts'
import { adminBalanceRoutes } from '#modules/ledger/admin/balances/routes.ts'
import { adminRechargeRoutes } from '#modules/ledger/admin/recharges/routes.ts'
import { adminWithdrawalRoutes } from '#modules/ledger/admin/withdrawals/routes.ts'
import { exchangeRoutes } from '#modules/ledger/exchange/routes.ts'
import type { People } from '#modules/ledger/index.ts'
import { orderRoutes } from '#modules/ledger/orders/routes.ts'
import { rechargeRoutes } from '#modules/ledger/recharges/routes.ts'
import { withdrawalRoutes } from '#modules/ledger/withdrawals/routes.ts'
import { likeRoutes } from '#modules/likes/routes.ts'
import { linkedAccountRoutes } from '#modules/linked-accounts/routes.ts'
import { adminMusicRoutes } from '#modules/music/admin/routes.ts'
import { songRoutes } from '#modules/music/songs/routes.ts'
import { specialRoutes } from '#modules/music/specials/routes.ts'
import { nearbyRoutes } from '#modules/nearby/routes.ts'
import { adminNewsPinRoutes } from '#modules/news/admin/pins/routes.ts'
import { adminNewsRoutes } from '#modules/news/admin/routes.ts'
import { newsCategoryRoutes } from '#modules/news/categories/routes.ts'
import { contributionRoutes } from '#modules/news/contributions/routes.ts'
import { newsPinRoutes } from '#modules/news/pins/routes.ts'
import { newsRankRoutes } from '#modules/news/ranks/routes.ts'
import { newsRoutes } from '#modules/news/routes.ts'
import { countRoutes } from '#modules/notifications/counts/routes.ts'
import { notify } from '#modules/notifications/index.ts'
import { adminNoticeRoutes } from '#modules/notifications/notices/admin/routes.ts'
import { deviceRoutes } from '#modules/notifications/push/routes.ts'
import { notificationRoutes } from '#modules/notifications/routes.ts'
import { streamRoutes } from '#modules/notifications/stream/routes.ts'
import { adminWebhookDeliveryRoutes } from '#modules/notifications/webhooks/admin/deliveries/routes.ts'
import { adminWebhookRoutes } from '#modules/notifications/webhooks/admin/routes.ts'
import { purchaseRoutes } from '#modules/purchases/routes.ts'
import { adminQuestionRoutes } from '#modules/questions/admin/routes.ts'
import { adminQuestionTopicRoutes } from '#modules/questions/admin/topics/routes.ts'
import { answerRoutes } from '#modules/questions/answers/routes.ts'
import { questionApplicationRoutes } from '#modules/questions/applications/routes.ts'
import { answerCollectionRoutes } from '#modules/questions/collections/routes.ts'
import { lookRoutes } from '#modules/questions/looks/routes.ts'
import { questionRankRoutes } from '#modules/questions/ranks/routes.ts'
import { questionRoutes } from '#modules/questions/routes.ts'
import { questionTopicRoutes } from '#modules/questions/topics/routes.ts'
import { watchRoutes } from '#modules/questions/watches/routes.ts'
import { rankRoutes } from '#modules/ranks/routes.ts'
import { adminReportRoutes } from '#modules/reports/admin/routes.ts'
import { adminHistoryRoutes } from '#modules/reports/history/routes.ts'
import { mountReports } from '#modules/reports/index.ts'
import { userReportRoutes } from '#modules/reports/routes.ts'
import { userRewardRoutes } from '#modules/rewards/routes.ts'
import { searchRoutes } from '#modules/search/routes.ts'
import { aboutRoutes } from '#modules/settings/about/routes.ts'
import { adminSettingRoutes } from '#modules/settings/admin/routes.ts'
import { bootstrapRoutes } from '#modules/settings/bootstrap/routes.ts'
import { readSettings } from '#modules/settings/index.ts'
import { healthRoutes } from '#modules/statistics/health/routes.ts'
import { statisticRoutes } from '#modules/statistics/routes.ts'
import { adminTagRoutes } from '#modules/tags/admin/routes.ts'
import { tagRoutes } from '#modules/tags/routes.ts'
import { adminTopicRoutes } from '#modules/topics/admin/routes.ts'
import { topicRemoval } from '#modules/topics/index.ts'
import { topicRoutes } from '#modules/topics/routes.ts'
import { adminWordRoutes } from '#modules/words/admin/routes.ts'
import { withPrefixToo } from '#platform/aliases.ts'
import { readersOf } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { CONTENT_KINDS } from './content-kinds.ts'
import { CONFIDENTIAL, isFileGone } from './file-access.ts'
import { PROBES } from './health.ts'
import { PAYMENT_CHECKS } from './money-checks.ts'
import { SEARCHABLES } from './searchables.ts'
import { SETTING_CHECKS } from './setting-checks.ts'
import { STATISTICS } from './statistics.ts'

/** How lists across all kinds of content read each of them. */
const READERS = readersOf(CONTENT_KINDS)

/** How what is reported is removed, by its kind. */
const REMOVALS = {
  ...Object.fromEntries(CONTENT_KINDS.map(({ type, removal }) => [type, removal])),
  comments: commentRemoval,
  'feed-topics': topicRemoval,
}

/** Everything of groups, also as existing clients ask for it: under `/plus-group` (conventions-23). */
const GROUP_ROUTES = [
  groupCategoryRoutes,
  groupRoutes,
  groupMemberRoutes,
  groupRoleRoutes,
  groupPostRoutes(feedPost),
  groupReportRoutes,
  groupPinRoutes,
  groupIncomeRoutes,
].map((routes) => withPrefixToo({ prefix: '/plus-group', name: 'plusGroup' }, routes))

/** What the ledger is told of people. */
const PEOPLE: People = {
  checkPassword: checkPaymentPassword,
  passwordErrors: PAYMENT_PASSWORD_ERRORS,
  isUser,
}

/** The table of contents: every route module of the API, one line each. */
export const ROUTES: ((server: Server, ctx: Context) => void)[] = [
  bootstrapRoutes(readBootAdvertisements), // 0
  aboutRoutes,
  abilityRoutes,
  nodeRoutes,
  advertisingRoutes, // 1
  areaRoutes,
  notificationRoutes,
  countRoutes(Object.assign({}, ...CONTENT_KINDS.map(({ pendingPins }) => pendingPins))),
  streamRoutes,
  deviceRoutes,
  orderRoutes,
  exchangeRoutes(PEOPLE),
  rechargeRoutes,
  withdrawalRoutes(PEOPLE),
  signInRoutes, // 2
  codeRoutes,
  registrationRoutes,
  invitationRoutes,
  passwordRoutes,
  profileRoutes,
  deletionRoutes,
  exportRoutes,
  sessionRoutes,
  secondFactorRoutes,
  userRoutes,
  followRoutes,
  blockRoutes,
  sanctionRoutes,
  appealRoutes,
  discoveryRoutes,
  commentRoutes(READERS), // 3
  likeRoutes(READERS),
  userReportRoutes,
  purchaseRoutes,
  userRewardRoutes,
  checkinRoutes,
  tagRoutes,
  certificationRoutes,
  nearbyRoutes,
  linkedAccountRoutes,
  conversationRoutes,
  (server, ctx) => mountReports(server, ctx, commentContent(READERS), { path: '/report/comments/:comment' }),
  topicRoutes, // 4
  songRoutes,
  specialRoutes,
  newsCategoryRoutes,
  newsRoutes,
  contributionRoutes,
  newsPinRoutes,
  newsRankRoutes,
  questionTopicRoutes,
  questionRoutes,
  answerRoutes,
  lookRoutes,
  answerCollectionRoutes,
  watchRoutes,
  questionApplicationRoutes,
  questionRankRoutes,
  ...GROUP_ROUTES,
  feedRoutes(CONTENT_KINDS), // 5
  feedTimelineRoutes,
  feedRankRoutes,
  feedPinRoutes,
  rankRoutes, // 6
  searchRoutes(SEARCHABLES),
  imAccountRoutes,
  imGroupRoutes,
  auditRoutes, // 7
  statisticRoutes(STATISTICS),
  healthRoutes(PROBES),
  adminImRoutes,
  adminNoticeRoutes,
  adminWebhookRoutes,
  adminWebhookDeliveryRoutes,
  adminSettingRoutes(SETTING_CHECKS),
  adminTagRoutes,
  adminRecommendationRoutes,
  adminFamousRoutes,
  adminRoleRoutes(async (ctx) => (await readSettings(ctx))['register:role']),
  adminUserRoutes(endCertification),
  adminSessionRoutes,
  adminInvitationRoutes,
  adminRequestRoutes,
  adminSanctionRoutes,
  adminAppealRoutes,
  adminReportRoutes(REMOVALS),
  adminHistoryRoutes,
  adminAddressBlockRoutes,
  adminCertificationCategoryRoutes,
  adminCertificationRoutes,
  adminConversationRoutes,
  adminBalanceRoutes,
  adminWithdrawalRoutes(notify),
  adminRechargeRoutes,
  adminLedgerAuditRoutes(PAYMENT_CHECKS),
  adminFeedPinRoutes,
  adminNewsPinRoutes,
  adminGroupCategoryRoutes,
  adminGroupRoutes,
  adminGroupPostRoutes,
  adminTopicRoutes,
  adminFeedRoutes,
  adminMusicRoutes,
  adminQuestionTopicRoutes,
  adminQuestionRoutes,
  adminNewsRoutes,
  adminWordRoutes,
  adminAdvertisingRoutes,
  adminAreaRoutes,
]

/** Routes outside the API: the bytes of files. */
export const BYTES_ROUTES = [
  uploadBytesRoutes({ confidential: CONFIDENTIAL, isGone: isFileGone }),
  nodeBytesRoutes,
  archiveBytesRoutes,
  oldAddressRoutes,
]
