export { screenWords, sensitiveWords } from './service.ts'
