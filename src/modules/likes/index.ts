export { mountLikes } from './mount.ts'
export {
  findLiked,
  isLiked,
  likeCounters,
  likesRecount,
  listLatestLikes,
  ownerLikesCheck,
  setLikesCounted,
  transferSomeLikes,
} from './queries.ts'
export { deleteLikesOf, LikeWithUser, latestLikes, likesWithUsers } from './service.ts'
