export { accountExists } from './admin/queries.ts'
export { enableAccount } from './admin/service.ts'
export { alertAccountOwner } from './alerts/service.ts'
export { appealsOf } from './appeals/queries.ts'
export { hasBlocked, notBlockedBy } from './blocks/queries.ts'
export { requireNotBlocked } from './blocks/service.ts'
export { countCheckin, countFollowings, listIdsByCount, updateUserCounters, userRecount } from './counters.ts'
export type { Eraser } from './deletion/service.ts'
export { followedBy } from './follows/queries.ts'
export { createUserLines, importUsers, UserForm, userIdsByName } from './imports/service.ts'
export { InvitationCode } from './invitations/schema.ts'
export { OWNER_PROOF_ERRORS, OwnerProof } from './owner-proof/schema.ts'
export { verifyOwner } from './owner-proof/service.ts'
export { hasPassword, lockSignInMethods } from './passwords/queries.ts'
export { PAYMENT_PASSWORD_ERRORS, wrongPassword } from './passwords/schema.ts'
export { checkPaymentPassword, setPassword } from './passwords/service.ts'
export { type RankedRow, RankedUser, RanksQuery, rankedUsers } from './ranks/view.ts'
export { ensureFounder, founderPasswordPath } from './registration/founder.ts'
export { REGISTRATION_RULE_ERRORS } from './registration/rules.ts'
export { checkNewName, createUser, registerUser } from './registration/service.ts'
export { accountWaiting } from './requests/errors.ts'
export { isSuspended } from './sanctions/queries.ts'
export {
  accountSuspended,
  alreadySanctioned,
  cannotSanctionOneself,
  SanctionInput,
} from './sanctions/schema.ts'
export { findSilence, imposeSanction, refuseSuspended } from './sanctions/service.ts'
export { NAME_ERRORS, UserExtra, UserView, UserWithUrls, wrongCode } from './schema.ts'
export { FACTOR_ERRORS, FactorCode } from './second-factor/schema.ts'
export { checkSecondFactor, lacksSecondFactor } from './second-factor/service.ts'
export { openSession } from './sessions/service.ts'
export { accountDisabled, SignIn, TokenView, wrongSignIn } from './sign-in/schema.ts'
export { disabledError, findAccount, signIn } from './sign-in/service.ts'
export {
  anyNameContains,
  enabledUser,
  findBlockers,
  findEnabledIds,
  findMentionedUsers,
  findPeopleByKeys,
  isUser,
  isVerified,
  nameContains,
  nameOf,
  setVerified,
  userIdsNamed,
  withEnabledUser,
} from './users/queries.ts'
export { noSuchUser } from './users/schema.ts'
export { userPage, userViews, withUrls } from './users/view.ts'
