import type { Currency } from '../../shell/money.ts'

/** A setting in the API contract. */
export type SettingSchema = {
  type: string | string[]
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  items?: { type: string }
  'x-standard'?: unknown
  /** Unit of an amount of money. */
  'x-unit'?: 'fen' | 'points'
}

/** Input type of a setting. */
export function kindOf({ type, enum: choices, items, maxLength = 0 }: SettingSchema) {
  const [first] = [type].flat()
  if (choices) return 'choice'
  if (first === 'boolean') return 'flag'
  if (first === 'integer' || first === 'number') return 'number'
  if (first === 'array') return items?.type === 'integer' ? 'numbers' : 'words'
  return maxLength > 255 ? 'long' : 'text'
}

/** Currency of a setting that is an amount. */
export const currencyOf = (schema: SettingSchema): Currency | undefined =>
  schema['x-unit'] && (schema['x-unit'] === 'fen' ? 'wallet' : 'points')

export const isNullable = ({ type }: SettingSchema) => [type].flat().includes('null')
