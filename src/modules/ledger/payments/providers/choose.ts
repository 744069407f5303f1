import type { PaymentSettings } from '#platform/config'
import { METHODS } from './methods.ts'
import type { PaymentService, PaymentServiceName, SettingsOf } from './provider.ts'

export {
  BadNotice,
  type Dispute,
  type PaymentFacts,
  PaymentFault,
  type PaymentService,
  type PaymentServiceName,
  type StatementLine,
} from './provider.ts'

/** Imports a provider on first use, so that a site without the provider loads none of its code. */
const LOADERS: {
  [N in PaymentServiceName]: (settings: SettingsOf<N>) => Promise<PaymentService>
} = {
  alipay: async (settings) => (await import('./alipay.ts')).createAlipay(settings),
  stripe: async (settings) => (await import('./stripe.ts')).createStripe(settings),
  wechat: async (settings) => (await import('./wechat.ts')).createWechat(settings),
}

export const serviceOfMethod = (settings: PaymentSettings, method: string): PaymentServiceName | undefined =>
  configuredServices(settings).find((name) => Object.hasOwn(METHODS[name], method))

export const configuredServices = (settings: PaymentSettings) =>
  (Object.keys(LOADERS) as PaymentServiceName[]).filter((name) => settings[name] !== undefined)

/** Services by the settings of their provider. */
const loaded = new WeakMap<object, Promise<PaymentService>>()

export async function paymentService(
  settings: PaymentSettings,
  name: string,
): Promise<PaymentService | undefined> {
  const known = configuredServices(settings).find((each) => each === name)
  const own = known && settings[known]
  if (!own) return undefined
  const service = loaded.get(own) ?? LOADERS[known](own as never)
  loaded.set(own, service)
  return service
}
