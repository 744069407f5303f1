export { SETTINGS, type SettingName, type Settings } from './registry.ts'
export {
  isWebLink,
  type LinkTo,
  linksOf,
  readSettings,
  type SettingChecks,
  updateSettings,
  webLinks,
} from './service.ts'
