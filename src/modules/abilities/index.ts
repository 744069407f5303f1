export {
  findExcessAbilities,
  findRoleNamed,
  findRoleProblems,
  hasHolder,
  holdersOf,
  includesAdministration,
  isLastHolder,
  replaceRoles,
  roleNamesOf,
} from './roles/queries.ts'
export { ABILITIES, type Ability, isForMembers, ROLES } from './seeds.ts'
export {
  addRoles,
  beyondOwnAbilities,
  defaultRoleTooPowerful,
  dropCachedAbilities,
  hasAbility,
  invalidateAbilities,
  noSuchRole,
  seedAbilities,
} from './service.ts'
