import { readPhone } from '#lib/identifiers.ts'
import { receiptAddress, sendText, smsSender } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import { listPendingMigrations } from '#platform/database'
import { type Environment, withContext } from './context.ts'

type Print = (line: string) => void
const print: Print = (line) => void process.stdout.write(`${line}\n`)
const TEST_CODE = '000000'

/** Sends a text message with a dummy code. Returns true when a service accepts the message. */
export async function sendTestText(ctx: Context, given: string, tell: Print): Promise<boolean> {
  const phone = readPhone(given)
  if (phone === undefined)
    throw new Error(
      `"${given}" is not a phone number: numbers outside mainland China begin with + and the country code`,
    )
  if (Object.keys(smsSender(ctx).services).length === 0) {
    tell('No text message service is configured (docs/sms.md).')
    return false
  }
  const text = `Your verification code is ${TEST_CODE}. This is a test of the site.`
  try {
    const sent = await sendText(ctx, { phone, text, purpose: 'code', code: TEST_CODE })
    for (const refusal of sent?.refusals ?? []) tell(`✗ ${refusal}`)
    const reference = sent?.reference ? `, reference ${sent.reference}` : ''
    tell(`✓ ${sent?.service} accepted the message${reference}`)
    tell('The console shows whether it was delivered, under Text messages.')
    return true
  } catch (error) {
    for (const fault of (error as Error).message.split('; ')) tell(`✗ ${fault}`)
    return false
  }
}

/** Implements `kith sms test NUMBER`. Returns exit code 1 when no service accepts the message. */
export function testSms(env: Environment, given: string): Promise<number> {
  return withContext(env, async ({ ctx }) => {
    if ((await listPendingMigrations(ctx.sql)).length === 0)
      return (await sendTestText(ctx, given, print)) ? 0 : 1
    print('Migrations are pending: run `kith migrate` first.')
    return 1
  })
}

export function printReceiptAddresses(ctx: Context, tell: Print): void {
  const reporting = Object.entries(smsSender(ctx).services).filter(
    ([, { receipts }]) => receipts !== undefined,
  )
  if (reporting.length === 0) tell('No configured text message service reports deliveries (docs/sms.md).')
  for (const [name] of reporting) tell(`${name}: ${receiptAddress(ctx, name)}`)
}

export function listReceiptAddresses(env: Environment): Promise<number> {
  return withContext(env, ({ ctx }) => {
    printReceiptAddresses(ctx, print)
    return Promise.resolve(0)
  })
}
