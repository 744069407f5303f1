export { currencyName, readSiteHead, readSiteName, siteAccent, siteName } from './identity.ts'
export { SETTINGS, type SettingName, type Settings, STANDARD_SETTINGS } from './registry.ts'
export {
  isWebLink,
  type LinkTo,
  linksOf,
  readSettings,
  type SettingChecks,
  updateSettings,
  webLinks,
} from './service.ts'
