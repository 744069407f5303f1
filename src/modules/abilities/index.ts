export { mayDoMore, newcomersAreMembers, noSuchRole } from './errors.ts'
export { abilityTables, roleUsers } from './imports/thinksns.ts'
export { addRoles } from './queries.ts'
export {
  findAbilitiesBeyond,
  findRoleNamed,
  hasHolder,
  holdersOf,
  isLastHolder,
  judgeRoles,
  opensAdministration,
  replaceRoles,
  roleNamesOf,
} from './roles/queries.ts'
export { ABILITIES, type Ability, isForMembers } from './seeds.ts'
export { announceAbilities, forgetAbilities, hasAbility, seedAbilities } from './service.ts'
