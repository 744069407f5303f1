declare module 'virtual:contract' {
  /** The abilities one of which an operation needs, by `verb path` below /api/v2/admin. */
  export const ABILITIES: Record<string, string[]>
  /** Every setting with its schema. */
  export const SETTINGS: Record<string, import('./pages/settings/schema.ts').SettingSchema>
}
