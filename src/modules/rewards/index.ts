export { mountRewards, type RewardOptions } from './mount.ts'
export { rewardChecks, sumRewards } from './queries.ts'
export { RewardSum } from './schema.ts'
