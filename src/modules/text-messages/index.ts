export { reserveText, sendText, tooManyTexts } from './service.ts'
