export { mountRewards, type RewardOptions } from './mount.ts'
export { findRewarded, rewardChecks, rewardRecounts, sumRewards } from './queries.ts'
export { Reward, RewardSum } from './schema.ts'
export { latestRewards } from './view.ts'
