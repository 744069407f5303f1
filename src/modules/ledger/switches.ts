import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { switchedOff } from './errors.ts'

type Switch =
  | 'wallet:transform-currency'
  | 'wallet:recharge'
  | 'wallet:cash'
  | 'currency:recharge'
  | 'currency:cash'

/** 403 while the site has switched a use of money off. */
export async function requireSwitch(ctx: Context, name: Switch): Promise<void> {
  if (!(await readSettings(ctx))[name]) throw switchedOff()
}
