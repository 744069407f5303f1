import { nameKey } from '#lib/text.ts'
import { invalidField } from '#platform/errors.ts'

/** 422 on `field` for a text of invisible characters only; nothing for an absent one. */
export function requireVisible(field: string, text: string | undefined | null): void {
  if (typeof text === 'string' && nameKey(text) === '')
    throw invalidField(field, {
      en: `The ${field} field shows no character.`,
      zh: `${field} 没有可见字符。`,
    })
}
