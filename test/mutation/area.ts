import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Tests in other folders that cover rules of a module, as path patterns. */
const ACROSS: Record<string, string[]> = {
  audit: ['src/modules/topics/admin', 'src/modules/settings/admin', 'src/modules/abilities'],
  accounts: ['test/account-deletion.test.ts', 'test/erasure.test.ts', 'test/frequent-searches.test.ts'],
  appeals: ['src/modules/sanctions'],
  mail: ['src/modules/accounts'],
  'personal-data': ['test/exports.test.ts', 'test/exports-faults.test.ts', 'test/tidy.test.ts'],
  sanctions: ['src/modules/accounts'],
  users: ['src/modules/accounts', 'test/erasure.test.ts', 'test/frequent-searches.test.ts'],
  feeds: ['test/frequent-searches.test.ts'],
  collections: ['src/modules/feeds', 'src/modules/music', 'src/modules/news'],
  comments: ['src/modules/feeds', 'src/modules/groups/posts'],
  'linked-accounts': [
    'src/modules/accounts/identity/second-factor.test.ts',
    'src/modules/accounts/requests.test.ts',
    'test/erasure.test.ts',
  ],
  likes: ['src/modules/feeds', 'src/modules/groups/posts'],
  pinning: ['src/modules/news', 'test/money-access', 'src/modules/groups/pins'],
  purchases: ['src/modules/feeds', 'src/modules/music', 'test/money-access'],
  rewards: ['src/modules/questions/answers', 'src/modules/news', 'test/money-access'],
  ledger: ['src/modules/ranks', 'test/money-access', 'test/notified/money.test.ts'],
  notifications: ['test/notified'],
  music: ['src/commands/import.test.ts'],
  news: ['src/commands/import.test.ts'],
  files: [
    'test/tidy.test.ts',
    'test/file-access.test.ts',
    'test/exports-faults.test.ts',
    'src/modules/music/songs',
    'src/commands/export.test.ts',
    'test/slow/import/people.slow.ts',
    'src/modules/feeds',
    'src/modules/accounts',
    'src/modules/users',
  ],
  nearby: ['test/erasure.test.ts'],
  settings: ['src/modules/notifications/links.test.ts'],
  tokens: ['src/modules/accounts'],
  abilities: ['src/modules/accounts/admin', 'src/modules/accounts'],
  conversations: ['src/modules/im'],
}

/** The same for folders and files outside modules. */
const PLATFORM: Record<string, string[]> = {
  backup: ['test/slow/backup/backup.slow.ts'],
  config: ['src/platform/http/request-id.test.ts', 'test/slow/servers/start-mistakes.slow.ts'],
  'content.ts': ['test/conventions.test.ts'],
  database: [
    'src/platform/http/overload.test.ts',
    'test/slow/databases/failover.slow.ts',
    'test/slow/servers/embedded-postgres.slow.ts',
  ],
  'database-server.ts': ['test/slow/commands/cli.slow.ts'],
  'export-lines.ts': ['src/commands/export.test.ts'],
  files: ['src/modules/files'],
  http: [
    'test/hardening.test.ts',
    'test/conventions.test.ts',
    'src/modules/abilities',
    'src/modules/accounts/identity/sign-in.test.ts',
    'src/modules/files/uploads',
    'src/modules/files/variants',
    'src/modules/statistics/statistics.test.ts',
    'src/modules/ledger',
    'src/modules/webhooks',
    'test/api-description.test.ts',
    'test/http-caching.test.ts',
    'test/bad-input.test.ts',
    'test/console-routes.test.ts',
  ],
  'import-lines.ts': ['src/commands/import.test.ts'],
  jobs: ['test/worker.test.ts', 'test/tidy.test.ts', 'test/watching.test.ts'],
  processes: ['test/slow/servers/processes.slow.ts', 'test/slow/databases/rate-limit-redis.slow.ts'],
  'personal-data.ts': ['test/exports.test.ts'],
  'start-checks.ts': ['test/slow/servers/start-mistakes.slow.ts'],
}

const LISTS = ['test/list-filters.test.ts', 'test/list-walk.test.ts']
/** Generated tests of all modules, by the kinds of mutations that they detect. */
const GENERATED: Record<string, string[]> = {
  parent: LISTS,
  predicate: LISTS,
  compare: LISTS,
  order: LISTS,
  bound: ['test/bounds.test.ts'],
}

function nearness(file: string, test: string): number {
  const [one, other] = [dirname(file).split('/'), dirname(test).split('/')]
  const apart = one.findIndex((part, index) => part !== other[index])
  return apart < 0 ? one.length : apart
}

export function testsFor(root: string, file: string, kind: string): string[] {
  const [, place, module_ = ''] = file.split('/')
  const own = place === 'modules' ? `src/modules/${module_}` : dirname(file)
  const find = (pattern: string) =>
    globSync(pattern.endsWith('.ts') ? pattern : join(pattern, '**/*.test.ts'), { cwd: root })
  const named = file.replace(/\.ts$/, '.test.ts')
  const beside = find(own)
    .filter((test) => place === 'modules' || dirname(test) === own)
    .sort(
      (one, other) =>
        Number(other === named) - Number(one === named) ||
        nearness(file, other) - nearness(file, one) ||
        (one < other ? -1 : 1),
    )
  const across =
    place === 'modules'
      ? (ACROSS[module_] ?? [])
      : [...(PLATFORM[module_] ?? PLATFORM[place ?? ''] ?? []), 'test/platform.test.ts']
  const matrix = kind === 'access' ? ['test/routes.test.ts', 'test/access-matrix.test.ts'] : []
  const imports = file.startsWith('importers/') ? find('importers/thinksns') : []
  // Runs tests named in `PLATFORM` before neighbouring tests, because the platform folder mixes many
  // subjects.
  const first =
    place === 'modules' ? [] : [...beside.filter((test) => test === named), ...across.flatMap(find)]
  const generated = GENERATED[kind] ?? []
  // Among all tests, only the generated one sends a value at and beyond each bound.
  const bounds = kind === 'bound' ? generated : []
  const [nearest = [], ...others] = [...matrix, ...imports, ...first, ...beside, ...across.flatMap(find)]
  return [...new Set([bounds, nearest, generated, others].flat())]
}
