export { mountLikes } from './mount.ts'
export {
  countLikesOf,
  deleteLikesOf,
  findLiked,
  isLiked,
  likeCounters,
  likesRecount,
  listLatestLikes,
  ownerLikesCheck,
  setLikesOwner,
} from './queries.ts'
export { LikeWithUser, latestLikes, likesWithUsers } from './service.ts'
