import { callTextService } from './call.ts'
import { type SettingsOf, SmsError, type TextService } from './text-service.ts'

export function createGateway({ url, secret }: SettingsOf<'gateway'>, timeout?: number): TextService {
  const name = 'the SMS provider'
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return {
    async check() {
      // Many gateways respond to HEAD with 404 or 405, which still proves that the gateway is reachable.
      const { status } = await callTextService(name, url, { method: 'HEAD', headers }, timeout)
      if (status === 401 || status === 403) throw new SmsError(`${name} answered ${status}`, { status })
    },
    async send({ phone, text, code, site }) {
      const body = JSON.stringify({
        phone,
        text,
        ...(code === undefined ? {} : { code }),
        ...(site === undefined ? {} : { site }),
      })
      const { status } = await callTextService(name, url, { method: 'POST', headers, body }, timeout)
      if (status >= 300) throw new SmsError(`${name} answered ${status}`, { status })
      return null
    },
  }
}
