export type { SettingChecks } from './admin/schema.ts'
export { settingTables } from './imports/thinksns.ts'
export type { SettingName, Settings } from './registry.ts'
export { forgetSettings, readSettings, updateSettings } from './service.ts'
