declare module 'virtual:contract' {
  /**
   * Abilities by operation, such as `delete ads/{ad}` below /api/v2/admin. Any ability of an operation
   * suffices.
   */
  export const ABILITIES: Record<string, string[]>
  export const SETTINGS: Record<string, import('./pages/settings/schema.ts').SettingSchema>
}
