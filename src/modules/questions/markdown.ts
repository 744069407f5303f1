import { plainText } from '#lib/text.ts'

const EXCERPT = 1000

/** What a list shows of a text where the client does not say it. */
export const excerptOf = (body: string | null, given: string | null | undefined): string | null =>
  given ?? (body === null ? null : plainText(body, EXCERPT))

/** The pictures that a Markdown text names as `@![title](file id)`. */
export const picturesIn = (body: string | null): number[] => [
  ...new Set([...(body ?? '').matchAll(/@!\[[^\]\n]{0,500}\]\((\d{1,15})\)/g)].map(([, id]) => Number(id))),
]
