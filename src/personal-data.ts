import { abilityPersonal } from '#modules/abilities/personal.ts'
import { accountPersonal } from '#modules/accounts/personal.ts'
import { certificationPersonal } from '#modules/certifications/personal.ts'
import { checkinPersonal } from '#modules/checkins/personal.ts'
import { collectionPersonal } from '#modules/collections/personal.ts'
import { commentPersonal } from '#modules/comments/personal.ts'
import { feedbackPersonal } from '#modules/conversations/personal.ts'
import { feedPersonal } from '#modules/feeds/personal.ts'
import { filePersonal } from '#modules/files/personal.ts'
import { groupPersonal } from '#modules/groups/personal.ts'
import { imPersonal } from '#modules/im/personal.ts'
import { ledgerPersonal } from '#modules/ledger/personal.ts'
import { likePersonal } from '#modules/likes/personal.ts'
import { linkedAccountPersonal } from '#modules/linked-accounts/personal.ts'
import { placePersonal } from '#modules/nearby/personal.ts'
import { newsPersonal } from '#modules/news/personal.ts'
import { notificationPersonal } from '#modules/notifications/personal.ts'
import { pinPersonal } from '#modules/pinning/personal.ts'
import { purchasePersonal } from '#modules/purchases/personal.ts'
import { questionPersonal } from '#modules/questions/personal.ts'
import { reportPersonal } from '#modules/reports/personal.ts'
import { rewardPersonal } from '#modules/rewards/personal.ts'
import { tagPersonal } from '#modules/tags/personal.ts'
import { tokenPersonal } from '#modules/tokens/personal.ts'
import { topicPersonal } from '#modules/topics/personal.ts'
import type { PersonalTable } from '#platform/personal-data.ts'

/**
 * Everything that people take along (rights-9), in the order of its index. What a new table keeps of a person gets its
 * place in the `personal.ts` of its module, or a reason in test/fixtures/people-tables.ts.
 */
export const PERSONAL_DATA: readonly PersonalTable[] = [
  ...accountPersonal,
  ...abilityPersonal,
  ...tokenPersonal,
  ...linkedAccountPersonal,
  ...certificationPersonal,
  ...tagPersonal,
  ...placePersonal,
  ...feedPersonal,
  ...topicPersonal,
  ...commentPersonal,
  ...likePersonal,
  ...collectionPersonal,
  ...newsPersonal,
  ...questionPersonal,
  ...groupPersonal,
  ...imPersonal,
  ...notificationPersonal,
  ...feedbackPersonal,
  ...ledgerPersonal,
  ...purchasePersonal,
  ...rewardPersonal,
  ...pinPersonal,
  ...checkinPersonal,
  ...reportPersonal,
  ...filePersonal,
]
