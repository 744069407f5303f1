import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of the rewards they gave; whom they gave it to may be nameless and stays out. */
export const rewardPersonal = [
  personalTable({
    file: 'rewards',
    about: { en: 'Rewards you gave', zh: '您的打赏' },
    table: 'rewards',
    within: 'rewardable_type',
    key: ['rewardable_id', 'id'],
    columns: ['id', 'rewardable_type', 'rewardable_id', 'amount', 'created_at'],
  }),
]
