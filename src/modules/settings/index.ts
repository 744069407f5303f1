export { settingTables } from './imports/thinksns.ts'
export { type SettingName, type Settings, SettingsPatch } from './registry.ts'
export { forgetSettings, readSettings, updateSettings } from './service.ts'
