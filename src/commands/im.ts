import { findDrift, findImState, reconcile } from '#modules/im/index.ts'
import { type Environment, withContext } from './context.ts'

const SHOWN = 20

/** `kith doctor im`: exit code 1 when the provider is unreachable or an unrepaired difference remains. */
export function examineIm(env: Environment, { mend }: { mend: boolean }): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  return withContext(env, async ({ ctx }) => {
    const state = await findImState(ctx)
    if (state.fault !== null) {
      print(`✗ ${state.provider}: ${state.fault}`)
      return 1
    }
    print(`✓ ${state.provider} responds`)
    const waiting = state.waiting_accounts + state.waiting_groups
    print(
      `${waiting === 0 ? '✓' : '✗'} waiting: ${state.waiting_accounts} of ${state.accounts} accounts, ` +
        `${state.waiting_groups} groups beside ${state.groups}${state.last_error ? ` (${state.last_error})` : ''}`,
    )
    if (state.unregistered > 0) print(`  ${state.unregistered} people have no confirmed account`)
    const { drift, restored } = mend ? await reconcile(ctx) : { drift: await findDrift(ctx), restored: 0 }
    for (const { group, difference } of drift.slice(0, SHOWN)) print(`✗ group ${group} ${difference}`)
    if (drift.length === 0) print('✓ every confirmed group matches the provider')
    else if (drift.length > SHOWN) print(`  and ${drift.length - SHOWN} more`)
    if (restored > 0) print(`  restored ${restored} accounts`)
    if (mend && drift.length > 0) print('  the server repairs them now')
    const wrong = waiting + drift.length > 0
    if (wrong && !mend) print('Run `kith doctor im --mend` to repair it.')
    return wrong && !mend ? 1 : 0
  })
}
