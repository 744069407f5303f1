export { noSuchWord, sensitiveWords } from './errors.ts'
export { WORD_TYPES, type WordType } from './schema.ts'
export { addWord, changeWord, forgetWords, removeWord, screen } from './service.ts'
