export { isReceiptKey, receiptAddress } from './receipt-address.ts'
export { createSms, type SentText, type SmsSender } from './sender.ts'
export {
  BadReceipt,
  SmsError,
  type TextMessage,
  type TextPurpose,
  type TextReceipt,
} from './service.ts'
export { openTextServices, readTextSettings } from './settings.ts'
export { readTextTemplate } from './templates.ts'
