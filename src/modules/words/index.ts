export { sensitiveWords } from './errors.ts'
export { screen } from './service.ts'
