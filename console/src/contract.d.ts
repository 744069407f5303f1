declare module 'virtual:contract' {
  /**
   * Abilities by operation, such as `delete ads/{ad}` below /api/v2/admin. Any ability of an operation
   * suffices.
   */
  export const ABILITIES: Record<string, string[]>
}

declare module 'virtual:settings' {
  /** Schema and texts of each setting. */
  export const SETTINGS: Record<string, import('./pages/settings/schema.ts').SettingSchema>
}
