export { addRoles } from './queries.ts'
export { AbilityView } from './schema.ts'
export { ABILITIES, type Ability, MEMBER_ABILITIES } from './seeds.ts'
export { announceAbilities, forgetAbilities, hasAbility, seedAbilities } from './service.ts'
