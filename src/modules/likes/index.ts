export { likeCounters, likesRecount, ownerLikesCheck } from './counters.ts'
export { mountLikes } from './mount.ts'
export {
  countLikesOf,
  deleteLikesOf,
  findLiked,
  isLiked,
  listLatestLikes,
  setLikesOwner,
} from './queries.ts'
export { LikeWithUser, latestLikes, likesWithUsers } from './service.ts'
