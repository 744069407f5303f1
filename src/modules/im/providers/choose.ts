import type { Context } from '#platform/context.ts'
import { withBreaker } from './breaker.ts'
import { createEasemob } from './easemob.ts'
import { createEjabberd } from './ejabberd.ts'
import { createEmbedded } from './embedded.ts'
import type { ImProvider } from './provider.ts'
import { createTokenStore } from './tokens.ts'

const providers = new WeakMap<object, ImProvider>()

/** The provider of this installation. */
export function imProvider(ctx: Context): ImProvider {
  const known = providers.get(ctx.config)
  if (known) return known
  const made = withBreaker(createProvider(ctx))
  providers.set(ctx.config, made)
  return made
}

function createProvider({ config, sql, secrets }: Context): ImProvider {
  const { timeoutMs, ejabberd, easemob } = config.im
  switch (config.imProvider) {
    case 'embedded':
      return createEmbedded(sql)
    case 'ejabberd':
      return createEjabberd({ ...ejabberd, timeoutMs })
    case 'easemob':
      return createEasemob({ ...easemob, timeoutMs, tokens: createTokenStore(sql, secrets, easemob.appKey) })
  }
}
