export { accountExists } from './admin/queries.ts'
export { enableAccount } from './admin/service.ts'
export { appealsOf } from './appeals/service.ts'
export { addCheckin, countFollowings, listIdsByCount, updateUserCounters, userRecount } from './counters.ts'
export { type Eraser, enqueueErasure } from './deletion/service.ts'
export { divideHashing, hashPassword } from './identity/hashing.ts'
export { type UseProof, verifyOwner } from './identity/owner-proof.ts'
export { checkPaymentPassword, setAccountsDisabled, setPassword } from './identity/passwords.ts'
export { hasPassword, lockSignInMethods } from './identity/queries.ts'
export {
  checkNewcomerName,
  createUser,
  ensureFounder,
  founderPasswordFile,
  founderPasswordPath,
  hasMembers,
  registerUser,
} from './identity/registration.ts'
export { REGISTRATION_RULE_ERRORS } from './identity/registration-rules.ts'
export {
  AgreedVersions,
  accountDisabled,
  accountWaiting,
  FACTOR_ERRORS,
  FactorCode,
  InvitationCode,
  OWNER_PROOF_ERRORS,
  OwnerProof,
  PAYMENT_PASSWORD_ERRORS,
  SignIn,
  TokenView,
  wrongPassword,
  wrongSignIn,
} from './identity/schema.ts'
export { checkSecondFactor, lacksSecondFactor } from './identity/second-factor.ts'
export { openSession } from './identity/sessions.ts'
export { disabledError, findAccount, signIn } from './identity/sign-in.ts'
export { createUserLines, importUsers, UserForm, userIdsByName } from './imports/service.ts'
export { listInviters, selectInvitationTree } from './invitations/service.ts'
export { mailSender } from './mail.ts'
export {
  deleteMentions,
  findMentioned,
  mayMention,
  notifyStoredMentions,
  recordMentions,
  saveMentions,
} from './mentions.ts'
export { alertAccountOwner, hasEmail, messageUser } from './messages.ts'
export { mountRanking, RankedUser, RanksQuery } from './rankings.ts'
export { contactRefused, isContactRefused, requireContact } from './relations/contact-rules.ts'
export { findMutedWord } from './relations/muted-words.ts'
export {
  hasBlocked,
  hasMuted,
  isFollowing,
  isOpenTo,
  isPrivate,
  listOpenTo,
  noBlockBetween,
  selectFollowed,
  shownTo,
} from './relations/queries.ts'
export { isSuspended } from './sanctions/queries.ts'
export {
  accountSuspended,
  alreadySanctioned,
  cannotSanctionOneself,
  SanctionInput,
} from './sanctions/schema.ts'
export { findSilence, imposeSanction, requireNotSuspended } from './sanctions/service.ts'
export { NAME_ERRORS, noSuchUser, UserExtra, UserView, UserWithUrls, wrongCode } from './schema.ts'
export { ACCOUNT_SETTINGS, readAccountSettings } from './settings.ts'
export {
  enabledUser,
  findBlockers,
  findEnabledIds,
  isUser,
  isVerified,
  nameContains,
  nameOf,
  requireNotBlocked,
  setVerified,
  sqlNameContainsEvenDisabled,
  userIdsNamed,
  withEnabledUser,
} from './users/queries.ts'
export { type People, peopleFor, userContent, userPage, userViews, withUrls, withUser } from './users/view.ts'
