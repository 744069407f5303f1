export type { SettingChecks } from './admin/schema.ts'
export type { SettingName, Settings } from './registry.ts'
export { SETTINGS } from './registry.ts'
export {
  dropCachedSettings,
  isWebLink,
  type LinkTo,
  linksOf,
  readSettings,
  saveSettings,
  updateSettings,
  webLinks,
} from './service.ts'
