export { mountLikes } from './mount.ts'
export {
  deleteLikesOf,
  findLiked,
  isLiked,
  likeCounters,
  likesRecount,
  listLatestLikes,
  ownerLikesCheck,
  setLikesCounted,
  setLikesOwner,
} from './queries.ts'
export { LikeWithUser, latestLikes, likesWithUsers } from './service.ts'
