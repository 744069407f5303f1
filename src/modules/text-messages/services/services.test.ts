import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTextSettings } from '#platform/config/sms-settings.ts'
import { createLog } from '#platform/observability'
import {
  ALIYUN,
  aliyunDouble,
  TENCENT,
  TWILIO,
  tencentDouble,
  twilioDouble,
  YUNPIAN,
  yunpianDouble,
} from '#test/fixtures/text-services.ts'
import { createAliyun, signAliyun } from './aliyun.ts'
import { createSms, readTextTemplate } from './sender.ts'
import { createTencent, signTencent } from './tencent.ts'
import { SmsError, type TextMessage } from './text-service.ts'
import { createTwilio, signTwilio } from './twilio.ts'
import { createYunpian } from './yunpian.ts'

const log = createLog({ level: 'silent' })
const code: TextMessage = {
  phone: '13812345678',
  text: '您的验证码是 123456',
  code: '123456',
  purpose: 'code',
}
const abroad: TextMessage = { ...code, phone: '+12015550123' }
const lines = (...texts: string[]) =>
  texts.map((text) => readTextTemplate(text)).filter((each) => each !== undefined)

const [ali, ten, yun, twi] = await Promise.all([
  aliyunDouble(),
  tencentDouble(),
  yunpianDouble(),
  twilioDouble(),
])
const services = {
  aliyun: createAliyun({ ...ALIYUN, url: ali.url }),
  tencent: createTencent({ ...TENCENT, url: ten.url, region: 'ap-guangzhou' }),
  yunpian: createYunpian({ ...YUNPIAN, url: yun.url }),
  twilio: createTwilio({ ...TWILIO, url: twi.url }),
}
const WORDING = { template: '1234', signature: 'Kith' }

test('reproduces the example signatures that Aliyun, Tencent Cloud and Twilio document', () => {
  const signed = signAliyun(
    { keyId: 'YourAccessKeyId', keySecret: 'YourAccessKeySecret' },
    {
      host: 'ecs.cn-shanghai.aliyuncs.com',
      action: 'RunInstances',
      version: '2014-05-26',
      query: { RegionId: 'cn-shanghai', ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd' },
      date: '2023-10-26T10:22:32Z',
      nonce: '3156853299f313e23d1673dc12e1703d',
    },
  )
  assert.match(
    signed.headers.authorization ?? '',
    /Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0$/,
  )
  const body = '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}'
  assert.match(
    signTencent(
      { secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' },
      { host: 'cvm.tencentcloudapi.com', service: 'cvm', body, at: 1551113065 },
    ),
    /Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168$/,
  )
  const fields = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+12349013030',
    Digits: '1234',
    From: '+12349013030',
    To: '+18005551212',
  })
  assert.equal(
    signTwilio('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', fields),
    '0/KCTR6DLpKmkAf8muzZqo1nDgQ=',
  )
})

test('sends a code in the request format of each service', async () => {
  assert.match(
    (await services.aliyun.send(code, { ...WORDING, signature: '我们 (Kith)*' })) ?? '',
    /^ali\d+\^0$/,
  )
  assert.deepEqual(ali.calls.pop(), {
    action: 'SendSms',
    fields: {
      PhoneNumbers: '13812345678',
      SignName: '我们 (Kith)*',
      TemplateCode: '1234',
      TemplateParam: '{"code":"123456"}',
    },
  })
  assert.match((await services.tencent.send(code, WORDING)) ?? '', /^ten:/)
  assert.deepEqual(ten.calls.pop(), {
    action: 'SendSms',
    fields: {
      SmsSdkAppId: TENCENT.appId,
      PhoneNumberSet: ['+8613812345678'],
      TemplateId: '1234',
      TemplateParamSet: ['123456'],
      SignName: 'Kith',
    },
  })
  assert.equal(BigInt((await services.yunpian.send(code, { signature: 'Kith' })) ?? '') % 2n, 1n)
  assert.deepEqual(yun.calls.pop(), {
    action: '/v2/sms/single_send.json',
    fields: { apikey: YUNPIAN.key, mobile: '+8613812345678', text: '【Kith】您的验证码是 123456' },
  })
  await services.yunpian.send(code, WORDING)
  assert.deepEqual(yun.calls.pop(), {
    action: '/v2/sms/tpl_single_send.json',
    fields: { apikey: YUNPIAN.key, mobile: '+8613812345678', tpl_id: '1234', tpl_value: '%23code%23=123456' },
  })
  assert.match((await services.twilio.send(abroad, {})) ?? '', /^SM/)
  assert.deepEqual(twi.calls.pop(), {
    action: `POST /2010-04-01/Accounts/${TWILIO.account}/Messages.json`,
    fields: { To: '+12015550123', From: TWILIO.from, Body: code.text },
  })
  await services.twilio.send(abroad, { signature: `MG${'0'.repeat(32)}` })
  assert.equal(twi.calls.pop()?.fields.MessagingServiceSid, `MG${'0'.repeat(32)}`)
})

test('checks the credentials of each service without sending a message', async () => {
  for (const [name, { check }] of Object.entries(services)) await assert.doesNotReject(check(), name)
  for (const { calls } of [ali, ten, yun, twi])
    for (const { action } of calls.splice(0)) assert.doesNotMatch(action, /SendSms|single_send|Messages/)
  const wrong = [
    createAliyun({ ...ALIYUN, url: ali.url, keySecret: 'x' }),
    createTencent({ ...TENCENT, url: ten.url, region: 'ap-guangzhou', secretKey: 'x' }),
    createYunpian({ url: yun.url, key: 'x' }),
    createTwilio({ ...TWILIO, url: twi.url, token: 'x' }),
  ]
  for (const { check, send } of wrong) {
    await assert.rejects(check(), SmsError)
    await assert.rejects(send(code, WORDING), { permanent: false })
  }
})

test('classifies rejections by each service as permanent or temporary without exposing personal data', async () => {
  const doubles = { aliyun: ali, tencent: ten, yunpian: yun, twilio: twi }
  for (const [name, service] of Object.entries(services)) {
    const { faults } = doubles[name as keyof typeof doubles]
    for (const [fault, permanent] of [
      ['refused', true],
      [500, false],
      [503, false],
    ] as const) {
      faults.push(fault)
      await assert.rejects(service.send(abroad, WORDING), (error) => {
        assert.ok(error instanceof SmsError, `${name} ${fault}: ${error}`)
        assert.equal(error.permanent, permanent, `${name} ${fault}`)
        assert.doesNotMatch(error.message, /138000|2015550123|123456/)
        return true
      })
    }
  }
})

test('falls back to the second service when the first fails', async () => {
  const sms = createSms({ aliyun: services.aliyun, twilio: services.twilio }, log)
  const templates = lines('aliyun code CN SMS_1 Kith')
  assert.equal((await sms.send(code, templates)).service, 'aliyun')
  for (const fault of ['refused', 500] as const) {
    ali.faults.push(fault)
    const { service, refusals } = await sms.send(code, templates)
    assert.equal(service, 'twilio')
    assert.match(refusals[0] ?? '', /^Aliyun answered/)
  }
  const foreign = await sms.send(abroad, templates)
  assert.deepEqual(
    [foreign.service, foreign.refusals],
    ['twilio', ['Aliyun has no template for this message']],
  )
  ali.faults.push('refused')
  twi.faults.push(500)
  await assert.rejects(sms.send(code, templates), { permanent: false, message: /Aliyun.*; Twilio/ })
  ali.faults.push('refused')
  twi.faults.push('refused')
  await assert.rejects(sms.send(code, templates), { permanent: true })
})

test('chooses the first template that matches purpose and country', async () => {
  const sms = createSms({ aliyun: services.aliyun }, log)
  const templates = lines(
    'tencent code CN 9 Other',
    'aliyun alert * SMS_A Kith',
    'aliyun code CN SMS_CN 我们 的',
    'aliyun code US SMS_US Kith',
    'aliyun code * SMS_ANY Kith',
  )
  const chosen = async (message: TextMessage) => {
    await sms.send(message, templates)
    const { TemplateCode, SignName } = ali.calls.at(-1)?.fields ?? {}
    return `${TemplateCode} ${SignName}`
  }
  assert.equal(await chosen(code), 'SMS_CN 我们 的')
  assert.equal(await chosen(abroad), 'SMS_US Kith')
  assert.equal(await chosen({ ...code, phone: '+4915123456789' }), 'SMS_ANY Kith')
  const { code: _, ...alert } = code
  assert.equal(await chosen({ ...alert, purpose: 'alert' }), 'SMS_A Kith')
  assert.equal(ali.calls.at(-1)?.fields.TemplateParam, undefined)
  await assert.rejects(sms.send({ ...alert, purpose: 'message' }, templates), { permanent: true })
})

test('parses lines of the setting for message templates', () => {
  assert.deepEqual(readTextTemplate('yunpian * * - Kith'), {
    service: 'yunpian',
    purpose: '*',
    country: '*',
    signature: 'Kith',
  })
  for (const line of [
    'aliyun',
    'aliyun code cn 1 Kith',
    'other code CN 1 Kith',
    'aliyun login CN 1 Kith',
    '',
  ])
    assert.equal(readTextTemplate(line), undefined, line)
})

test('reads the order of the configured SMS services and reports missing settings', () => {
  const read = (env: Record<string, string>) => {
    const faults: string[] = []
    const text = (name: string) => env[name]
    return { ...readTextSettings({ text, url: text, faults }), faults }
  }
  const twilio = { SMS_TWILIO_ACCOUNT: 'AC1', SMS_TWILIO_TOKEN: 't', SMS_TWILIO_FROM: '+1' }
  const both = { ...twilio, SMS_YUNPIAN_KEY: 'k' }
  assert.deepEqual(read({}).order, [])
  assert.deepEqual(read(both).order, ['yunpian', 'twilio'])
  assert.deepEqual(read({ ...both, SMS_SERVICES: 'twilio, yunpian' }).order, ['twilio', 'yunpian'])
  assert.deepEqual(read({ ...both, SMS_SERVICES: 'twilio' }).order, ['twilio'])
  assert.deepEqual(read({ ...both, SMS_SERVICES: 'aliyun' }).faults, [
    'SMS_SERVICES names aliyun, which is not configured',
  ])
  assert.deepEqual(read({ SMS_ALIYUN_KEY_ID: 'a' }).faults, [
    'SMS_ALIYUN_KEY_SECRET is required for text messages by Aliyun',
  ])
})
