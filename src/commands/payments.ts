import { paymentHealth } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { type Environment, withContext } from './context.ts'

type Print = (line: string) => void

/** Prints the state of every configured provider. Returns false when something is left to examine. */
export async function reportPayments(ctx: Context, print: Print): Promise<boolean> {
  const states = await paymentHealth(ctx)
  if (states.length === 0) print('· no payment provider is configured: docs/payments.md')
  for (const { provider, fault, last_statement: last, ...counts } of states) {
    print(fault === null ? `✓ ${provider} answers` : `✗ ${provider}: ${fault}`)
    const found = {
      'open payments are past their time': counts.waiting,
      'payments arrived and were not credited': counts.uncredited,
      'differences are listed in the console': counts.differences,
      'refunds were asked for more than a day ago and are not decided': counts.refunds,
      'payments are disputed, which the provider decides': counts.disputes,
    }
    for (const [what, count] of Object.entries(found)) if (count > 0) print(`✗ ${provider}: ${count} ${what}`)
    print(
      `  ${provider}: ${last === null ? 'no statement was compared yet' : `last compared statement ${last}`}`,
    )
  }
  return states.every(
    ({ fault, waiting, uncredited, differences, refunds, disputes }) =>
      fault === null && waiting + uncredited + differences + refunds + disputes === 0,
  )
}

/** `kith doctor payments`: exit code 1 when a provider does not answer or something is left to examine. */
export const examinePayments = (env: Environment): Promise<number> =>
  withContext(env, async ({ ctx }) =>
    (await reportPayments(ctx, (line) => void process.stdout.write(`${line}\n`))) ? 0 : 1,
  )
