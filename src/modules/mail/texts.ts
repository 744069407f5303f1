import type { Context } from '#platform/context.ts'
import type { Row, Tx } from '#platform/database'
import { invalidField, type Language, type Text } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import { type MailName, type MailValue, mailDefinition } from './catalogue.ts'

export type MailTexts = Pick<
  Row<'mail_texts', 'subject_en' | 'text_en' | 'subject_zh' | 'text_zh'>,
  'subject_en' | 'text_en' | 'subject_zh' | 'text_zh'
> & { languages: 'both' | Language }

/** Stands for the original texts of a mail. */
export const ORIGINAL: MailTexts = {
  languages: 'both',
  subject_en: null,
  text_en: null,
  subject_zh: null,
  text_zh: null,
}

const isOther = (texts: MailTexts) =>
  Object.keys(ORIGINAL).some((key) => texts[key as keyof MailTexts] !== ORIGINAL[key as keyof MailTexts])

type Changed = Map<string, MailTexts>

const cacheOf = defineCache<Changed>('mail_texts', { max: 1, ttlMs: 60_000 })

export async function readMailTexts(
  ctx: Context,
  mail: MailName,
): Promise<MailTexts & { isChanged: boolean }> {
  const changed = await cacheOf(ctx).get('all', async () => {
    const rows = await ctx.sql<(MailTexts & { mail: string })[]>`
      select mail, languages, subject_en, text_en, subject_zh, text_zh from mail_texts`
    return new Map(rows.map(({ mail: name, ...texts }) => [name, texts]))
  })
  const texts = changed.get(mail)
  return { ...(texts ?? ORIGINAL), isChanged: texts !== undefined && isOther(texts) }
}

/** Reads the texts in force and locks them, so that concurrent changes of a mail do not overwrite each other. */
export async function lockMailTexts(tx: Tx, mail: MailName): Promise<MailTexts> {
  await tx`insert into mail_texts (mail) values (${mail}) on conflict do nothing`
  const [row] = await tx<[MailTexts]>`
    select languages, subject_en, text_en, subject_zh, text_zh from mail_texts where mail = ${mail} for update`
  return row
}

export async function saveMailTexts(ctx: Context, tx: Tx, mail: MailName, texts: MailTexts): Promise<void> {
  await tx`
    update mail_texts set languages = ${texts.languages}, subject_en = ${texts.subject_en},
      text_en = ${texts.text_en}, subject_zh = ${texts.subject_zh}, text_zh = ${texts.text_zh}, updated_at = now()
    where mail = ${mail}`
  await cacheOf(ctx).announce(tx, 'all')
}

/** Deletes the changes of a mail and returns them, if it has some. */
export async function resetMailTexts(ctx: Context, tx: Tx, mail: MailName): Promise<MailTexts | undefined> {
  const [before] = await tx<MailTexts[]>`
    delete from mail_texts where mail = ${mail}
    returning languages, subject_en, text_en, subject_zh, text_zh`
  await cacheOf(ctx).announce(tx, 'all')
  return before
}

const PLACEHOLDER = /\{(\w+)\}/g

/** Placeholders of every mail. */
const COMMON = ['site', 'address']

const unknownPlaceholder = (name: string, known: readonly string[]): Text => ({
  en: `There is no placeholder {${name}} in this mail. It has ${known.map((each) => `{${each}}`).join(', ')}.`,
  zh: `此邮件没有占位符 {${name}}，可用的有 ${known.map((each) => `{${each}}`).join('、')}。`,
})
const missingPlaceholder = (name: string): Text => ({
  en: `The text must contain {${name}}.`,
  zh: `正文必须包含 {${name}}。`,
})

/** Throws 422 for an unknown placeholder, and for a text without one that it needs. */
export function checkMailTexts(mail: MailName, texts: MailTexts): void {
  const { values, needs = [] } = mailDefinition(mail)
  const known = [...Object.keys(values), ...COMMON]
  for (const field of ['subject_en', 'text_en', 'subject_zh', 'text_zh'] as const) {
    const text = texts[field]
    if (text === null) continue
    for (const [, name = ''] of text.matchAll(PLACEHOLDER))
      if (!known.includes(name)) throw invalidField(field, unknownPlaceholder(name, known))
    if (!field.startsWith('text_')) continue
    for (const name of needs)
      if (!text.includes(`{${name}}`)) throw invalidField(field, missingPlaceholder(name))
  }
}

const inLanguage = (value: MailValue | undefined, language: Language): string =>
  value === undefined ? '' : typeof value === 'string' ? value : value[language]

export type MailValues = Readonly<Record<string, MailValue>>

/** Replaces the placeholders once, so that a value cannot contain further ones. */
const filled = (text: string, values: MailValues, language: Language) =>
  text.replace(PLACEHOLDER, (all, name: string) =>
    Object.hasOwn(values, name) ? inLanguage(values[name], language) : all,
  )

/**
 * Fills subject and text. `language` is that of the reader, if the server knows it. Otherwise the mail has the
 * languages that the administrator chose.
 */
export function renderMail(
  mail: MailName,
  texts: MailTexts,
  values: MailValues,
  language?: Language,
): { subject: string; text: string } {
  const { subject, text, inLanguageOfReader } = mailDefinition(mail)
  const chosen: Language[] = texts.languages === 'both' ? ['zh', 'en'] : [texts.languages]
  const languages = inLanguageOfReader && language && texts.languages === 'both' ? [language] : chosen
  const subjects = languages.map((each) => filled(texts[`subject_${each}`] ?? subject[each], values, each))
  const bodies = languages.map((each) => filled(texts[`text_${each}`] ?? text[each], values, each))
  // Texts of one line share a paragraph, as in text messages. Longer ones follow each other.
  const between = bodies.some((body) => body.includes('\n')) ? '\n\n' : ' '
  return { subject: subjects.join(' ').replace(/\s+/g, ' '), text: bodies.join(between) }
}
