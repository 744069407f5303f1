export { isReceiptKey, receiptAddress } from './receipt-address.ts'
export { createSms, readTextTemplate, type SentText, type SmsSender } from './sender.ts'
export {
  BadReceipt,
  SmsError,
  type TextMessage,
  type TextPurpose,
  type TextReceipt,
} from './service.ts'
export { openTextServices, readTextSettings } from './settings.ts'
