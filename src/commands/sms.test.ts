import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smsSender } from '#modules/text-messages/index.ts'
import { createSms, openTextServices } from '#modules/text-messages/services/sender.ts'
import { TWILIO, twilioDouble, YUNPIAN, yunpianDouble } from '#test/fixtures/text-services.ts'
import { createWorld } from '#test/world.ts'
import { printReceiptAddresses, sendTestText } from './sms.ts'

const [twi, yun] = await Promise.all([twilioDouble(), yunpianDouble()])
const { ctx } = await createWorld({
  PUBLIC_URL: 'https://kith.example',
  SMS_TWILIO_ACCOUNT: TWILIO.account,
  SMS_TWILIO_TOKEN: TWILIO.token,
  SMS_TWILIO_FROM: TWILIO.from,
  SMS_TWILIO_URL: twi.url,
  SMS_YUNPIAN_KEY: YUNPIAN.key,
  SMS_YUNPIAN_URL: yun.url,
})
const configured = createSms(
  openTextServices(ctx.config.sms, () => undefined),
  ctx.log,
)
const run = async (number: string) => {
  const lines: string[] = []
  const isSent = await sendTestText(ctx, number, (line) => lines.push(line))
  return { isSent, lines }
}

test('fails when no SMS service is configured', async () => {
  const { isSent, lines } = await run('13800000000')
  assert.deepEqual([isSent, lines.length], [false, 1])
  assert.match(lines[0] ?? '', /docs\/sms\.md/)
  await assert.rejects(run('12345'), /not a phone number/)
})

test('reports the response of each SMS service', async () => {
  Object.assign(smsSender(ctx), configured)
  const sent = await run('+1 201-555-0123')
  assert.equal(sent.isSent, true)
  assert.equal(sent.lines[0], '✗ Yunpian has no signature for this message')
  assert.match(sent.lines[1] ?? '', /^✓ twilio accepted the message, reference SM/)
  assert.equal(twi.calls.at(-1)?.fields.To, '+12015550123')
  twi.faults.push(503)
  const failed = await run('+12015550123')
  assert.deepEqual(
    [failed.isSent, failed.lines],
    [false, ['✗ Yunpian has no signature for this message', '✗ Twilio answered 503']],
  )
})

test('lists the delivery report URL of each SMS service', () => {
  Object.assign(smsSender(ctx), configured)
  const lines: string[] = []
  printReceiptAddresses(ctx, (line) => lines.push(line))
  assert.deepEqual(
    lines.map(
      (line) =>
        /^(\w+): https:\/\/kith\.example\/text-messages\/\1\/receipts\/v1\.[\w-]{43}$/.exec(line)?.[1],
    ),
    ['yunpian', 'twilio'],
  )
})
