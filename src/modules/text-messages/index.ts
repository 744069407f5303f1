export { reserveText, sendText, tooManyTexts } from './service.ts'
export { receiptAddress, smsSender } from './services/sender.ts'
export type { TextPurpose } from './services/text-service.ts'
