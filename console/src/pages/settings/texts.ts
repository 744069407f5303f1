import { SETTINGS } from 'virtual:settings'
import type { SettingTexts } from './schema.ts'

export const settingText = (name: string): SettingTexts =>
  SETTINGS[name]?.['x-texts'] ?? { label: [name, name], help: ['', ''] }

/** Text that the search for settings matches. */
export function settingWords(name: string): string {
  const { label, help, choices = {} } = settingText(name)
  return [name, ...label, ...help, ...Object.entries(choices).flat(2)].join(' ')
}
