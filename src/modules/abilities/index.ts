export {
  findExcessAbilities,
  findRoleNamed,
  findRoleProblems,
  hasHolder,
  holdersOf,
  includesAdministration,
  isLastHolder,
  replaceRoles,
  selectPrivileged,
  selectRoleNames,
} from './roles/queries.ts'
export { ABILITIES, type Ability, isMemberAbility, MEMBER_ABILITIES, ROLES } from './seeds.ts'
export {
  addRoles,
  beyondOwnAbilities,
  defaultRoleTooPowerful,
  hasAbility,
  invalidateAbilities,
  noSuchRole,
  seedAbilities,
} from './service.ts'
