import { SETTING_GROUPS } from './texts.ts'

export function groupOf(name: string): string {
  const [first = ''] = name.split(':')
  return first in SETTING_GROUPS ? first : 'other'
}

export const settingPath = (name: string): string => `/settings/${groupOf(name)}#${encodeURIComponent(name)}`
