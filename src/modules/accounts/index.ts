export { enableAccount } from './admin/service.ts'
export { type Eraser, enqueueErasure } from './deletion/service.ts'
export { tellsAccount } from './identity/codes.ts'
export { divideHashing, hashPassword } from './identity/hashing.ts'
export { type UseProof, verifyOwner, verifyOwnerOrName } from './identity/owner-proof.ts'
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
  OUTSIDE_ERRORS,
  OWNER_PROOF_ERRORS,
  OwnerProof,
  PAYMENT_PASSWORD_ERRORS,
  SignIn,
  TokenView,
  wrongCode,
  wrongPassword,
  wrongSignIn,
} from './identity/schema.ts'
export { checkSecondFactor, lacksSecondFactor } from './identity/second-factor.ts'
export { openSession } from './identity/sessions.ts'
export { disabledError, findAccount, proveOutside, signIn } from './identity/sign-in.ts'
export { createUserLines, importUsers, UserForm, userIdsByName } from './imports/service.ts'
export { listInviters, selectInvitationTree } from './invitations/service.ts'
export { ACCOUNT_SETTINGS, readAccountSettings } from './settings.ts'
