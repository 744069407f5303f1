export { mountRewards } from './mount.ts'
export {
  findRewarded,
  latestRewards,
  Reward,
  RewardSum,
  rewardChecks,
  rewardRecounts,
  rewardSum,
  sumRewards,
} from './service.ts'
export { REWARD_SETTINGS } from './settings.ts'
