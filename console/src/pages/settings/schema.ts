import type { Currency } from '../../shell/money.ts'
import type { Text } from '../../shell/text.ts'

export type SettingTexts = { label: Text; help: Text; choices?: Readonly<Record<string, Text>> }

export type SettingSchema = {
  type: string | string[]
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  items?: { type: string }
  'x-standard'?: unknown
  'x-texts': SettingTexts
  'x-unit'?: 'fen' | 'points'
  'x-picture'?: boolean
}

export function kindOf({ type, enum: choices, items, maxLength = 0, ...schema }: SettingSchema) {
  const [first] = [type].flat()
  if (schema['x-picture']) return 'picture'
  if (choices) return 'choice'
  if (first === 'boolean') return 'flag'
  if (first === 'integer' || first === 'number') return 'number'
  if (first === 'array') return items?.type === 'integer' ? 'numbers' : 'words'
  return maxLength > 255 ? 'long' : 'text'
}

export const currencyOf = (schema: SettingSchema): Currency | undefined =>
  schema['x-unit'] && (schema['x-unit'] === 'fen' ? 'wallet' : 'points')

export const isNullable = ({ type }: SettingSchema) => [type].flat().includes('null')
