import { accountStatistics } from '#modules/accounts/statistics.ts'
import { certificationStatistics } from '#modules/certifications/statistics.ts'
import { commentStatistics } from '#modules/comments/statistics.ts'
import { feedStatistics } from '#modules/feeds/statistics.ts'
import { groupStatistics } from '#modules/groups/statistics.ts'
import { ledgerStatistics } from '#modules/ledger/statistics.ts'
import { musicStatistics } from '#modules/music/statistics.ts'
import { newsStatistics } from '#modules/news/statistics.ts'
import { questionStatistics } from '#modules/questions/statistics.ts'
import { reportStatistics } from '#modules/reports/statistics.ts'
import { bringTogether } from '#modules/statistics/index.ts'
import { topicStatistics } from '#modules/topics/statistics.ts'

/** Everything that administrators count: what waits for their decisions, and what happens day by day. */
export const STATISTICS = bringTogether([
  accountStatistics,
  feedStatistics,
  commentStatistics,
  topicStatistics,
  newsStatistics,
  questionStatistics,
  groupStatistics,
  musicStatistics,
  ledgerStatistics,
  certificationStatistics,
  reportStatistics,
])
