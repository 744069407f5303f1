export const WORD_TYPES = ['warning', 'replace'] as const
export type WordType = (typeof WORD_TYPES)[number]

/** A word as administrators enter it; `replace` is what stands for it then. */
export type WordInput = { word: string; type: WordType; replace?: string | null }
