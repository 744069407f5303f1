export { isKnown } from './admin/queries.ts'
export { appealsOf } from './appeals/queries.ts'
export { hasBlocked, notBlockedBy } from './blocks/queries.ts'
export {
  accountCounters,
  countCheckin,
  countFollowings,
  countForPeople,
  listIdsByCount,
  personRecount,
} from './counters.ts'
export type { Eraser } from './deletion/service.ts'
export { DOOR_ERRORS } from './doors/errors.ts'
export { NAME_ERRORS } from './errors.ts'
export { forgetExports } from './exports/service.ts'
export { followedBy, isFollowing } from './follows/queries.ts'
export { peopleByName } from './imports/queries.ts'
export { createRoster, importPeople, PersonForm } from './imports/service.ts'
export { disablePeople, showAvatars } from './imports/thinksns/steps.ts'
export { accountTables } from './imports/thinksns/tables.ts'
export { InvitationCode } from './invitations/schema.ts'
export { PAYMENT_PASSWORD_ERRORS } from './passwords/errors.ts'
export { hasPassword, holdWaysIn } from './passwords/queries.ts'
export { checkPaymentPassword, setDisabled, setPassword } from './passwords/service.ts'
export { RankedUser, RanksQuery } from './ranks/schema.ts'
export { type RankedRow, rankedUsers } from './ranks/view.ts'
export { ensureFounder, founderPasswordPath } from './registration/founder.ts'
export { checkNewName, createUser, registerPerson } from './registration/service.ts'
export { accountWaiting } from './requests/errors.ts'
export { accountSuspended, sanctionedAlready, sanctionedOneself } from './sanctions/errors.ts'
export { isSuspended } from './sanctions/queries.ts'
export { SanctionInput } from './sanctions/schema.ts'
export { findSilence, impose, refuseSuspended } from './sanctions/service.ts'
export { UserExtra, UserView, UserWithUrls } from './schema.ts'
export { FACTOR_ERRORS } from './second-factor/errors.ts'
export { FactorCode } from './second-factor/schema.ts'
export { checkSecondFactor, lacksSecondFactor } from './second-factor/service.ts'
export { openSession } from './sessions/service.ts'
export { accountDisabled, wrongSignIn } from './sign-in/errors.ts'
export { findAccount } from './sign-in/queries.ts'
export { SignIn, TokenView } from './sign-in/schema.ts'
export { signIn, whyDisabled } from './sign-in/service.ts'
export { noSuchUser } from './users/errors.ts'
export {
  anyNameContains,
  enabledUser,
  findAddressed,
  findBlockers,
  findEnabledIds,
  findPeopleByKeys,
  isUser,
  isVerified,
  nameContains,
  nameOf,
  setVerified,
  withEnabledUser,
} from './users/queries.ts'
export { peopleOverlay, userPage, userViews, withUrls } from './users/view.ts'
