export { mountRewards } from './mount.ts'
export { findRewarded, rewardChecks, rewardRecounts, rewardSum, sumRewards } from './queries.ts'
export { Reward, RewardSum } from './schema.ts'
export { latestRewards } from './service.ts'
