import { loadAppSecret } from '#platform/app-secret.ts'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { createSecrets } from '#platform/crypto.ts'
import type { Log } from '#platform/observability'
import { openStorage } from './open-context.ts'

/**
 * A context for probes that work while the database does not. Throws when one reads a part that needs the database.
 * Creates no app secret, because the database may have been sealed with another one.
 */
export function createDetachedContext(config: Config, log: Log): Context {
  const absent = () => {
    throw new Error('this part of the context needs the database')
  }
  const parts = { config, log, storage: openStorage(config), onClose: [], state: new Map() }
  const needsDatabase = ['sql', 'limiter', 'metrics', 'signals'].map((name) => [name, { get: absent }])
  return Object.defineProperties(parts as unknown as Context, {
    ...Object.fromEntries(needsDatabase),
    secrets: {
      get: () => createSecrets(config.appSecret ?? loadAppSecret(config.dataDir, { mayCreate: false })),
    },
  })
}
