export { sensitiveWords } from './errors.ts'
export { wordTables } from './imports/thinksns.ts'
export { screen } from './service.ts'
