import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { featureOff } from './schema.ts'

type Switch =
  | 'wallet:transform-currency'
  | 'wallet:recharge'
  | 'wallet:cash'
  | 'currency:recharge'
  | 'currency:cash'

/** Throws 403 while the setting for this use of money is off. */
export async function requireSwitch(ctx: Context, name: Switch): Promise<void> {
  if (!(await readSettings(ctx))[name]) throw featureOff()
}
