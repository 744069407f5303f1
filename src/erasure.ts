import { type Eraser, forgetExports } from '#modules/accounts/index.ts'
import { forgetCertification } from '#modules/certifications/index.ts'
import { deleteFeedbackOf } from '#modules/conversations/index.ts'
import { returnWithdrawals } from '#modules/ledger/index.ts'
import { unlinkAll } from '#modules/linked-accounts/index.ts'
import { deletePlace } from '#modules/nearby/index.ts'
import { forgetRecipient } from '#modules/notifications/index.ts'
import { cancelPinsOfPerson } from '#modules/pinning/index.ts'
import { returnBounties } from '#modules/questions/index.ts'
import { detachAllTags } from '#modules/tags/index.ts'
import { deleteSignIns } from '#modules/tokens/index.ts'

/**
 * What the modules do when an account is erased (rights-2, rights-3): money that waits goes back first, because the account
 * is emptied last. Each may run again. What a new table keeps of a person beside public content gets its line here.
 */
export const ERASERS: readonly Eraser[] = [
  (_ctx, tx, userId) => deleteSignIns(tx, userId),
  (_ctx, tx, userId) => forgetExports(tx, userId),
  (_ctx, tx, userId) => unlinkAll(tx, userId),
  (_ctx, tx, userId) => forgetRecipient(tx, userId),
  (_ctx, tx, userId) => forgetCertification(tx, userId),
  (_ctx, tx, userId) => deletePlace(tx, userId),
  (_ctx, tx, userId) => deleteFeedbackOf(tx, userId),
  (_ctx, tx, userId) => detachAllTags(tx, userId),
  (_ctx, tx, userId) => cancelPinsOfPerson(tx, userId),
  (_ctx, tx, userId) => returnBounties(tx, userId),
  (_ctx, tx, userId) => returnWithdrawals(tx, userId),
]
