export {
  type Definitions,
  FEN,
  guarded,
  POINTS,
  type SettingsOf,
  setting,
  standardsOf,
} from './definition.ts'
export {
  currencyName,
  readSiteHead,
  readSiteName,
  siteAccent,
  siteIdentity,
  siteName,
  webLinks,
} from './identity.ts'
export { type LinkTo, linksOf } from './links.ts'
export { type SettingChecks, settingsReader, updateSettings } from './service.ts'
export { readSiteSettings, SITE_SETTINGS, type SiteSettings } from './settings.ts'
