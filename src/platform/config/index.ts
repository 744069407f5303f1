export { type Config, readConfig } from './config.ts'
export type { OutsideProvider } from './outside-providers.ts'
export type {
  AlipaySettings,
  PaymentSettings,
  StripeSettings,
  WechatKeys,
  WechatSettings,
} from './payment-settings.ts'
export type { ApnsKey, FcmAccount, JpushKey } from './push-settings.ts'
export {
  type AliyunSettings,
  type GatewaySettings,
  TEXT_SERVICES,
  type TencentSettings,
  type TextServiceName,
  type TextSettings,
  type TwilioSettings,
  type YunpianSettings,
} from './sms-settings.ts'
