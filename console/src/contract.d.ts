declare module 'virtual:contract' {
  /** Abilities of which an operation requires one, by `verb path` below /api/v2/admin. */
  export const ABILITIES: Record<string, string[]>
  export const SETTINGS: Record<string, import('./pages/settings/schema.ts').SettingSchema>
}
