declare module 'virtual:contract' {
  /** Required abilities of an operation (any of them), by `verb path` below /api/v2/admin. */
  export const ABILITIES: Record<string, string[]>
  export const SETTINGS: Record<string, import('./pages/settings/schema.ts').SettingSchema>
}
