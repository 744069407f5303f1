export { addCheckin, countFollowings, listIdsByCount, updateUserCounters, userRecount } from './counters.ts'
export { followFamous } from './famous.ts'
export {
  deleteMentions,
  findMentioned,
  mayMention,
  notifyStoredMentions,
  recordMentions,
  saveMentions,
} from './mentions.ts'
export {
  accountExists,
  enabledUser,
  findBlockers,
  findEnabledIds,
  isUser,
  isVerified,
  nameContains,
  nameOf,
  requireNotBlocked,
  requireNotErased,
  setVerified,
  sqlNameContainsEvenDisabled,
  userIdsNamed,
  withEnabledUser,
} from './queries.ts'
export { mountRanking, RankedUser, RanksQuery } from './rankings.ts'
export { contactRefused, isContactRefused, requireContact } from './relations/contact-rules.ts'
export { endFollowings, endRequests, eraseRelations, withdrawNotices } from './relations/erasure.ts'
export { findMutedWord } from './relations/muted-words.ts'
export {
  friendsOf,
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
export { enqueueSettling } from './relations/withheld.ts'
export {
  emailTaken,
  NAME_ERRORS,
  nameReserved,
  nameTaken,
  noSuchUser,
  phoneTaken,
  USER_CONSTRAINTS,
  UserExtra,
  UserParams,
  UserView,
  UserWithUrls,
  Verified,
} from './schema.ts'
export { type People, peopleFor, userContent, userPage, userViews, withUrls, withUser } from './view.ts'
