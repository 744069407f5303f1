// Runs a command of development: `npm run dev -- NAME`. Without a name, lists the commands.
import { spawnSync } from 'node:child_process'

/** Programs by name, with what they do. `test` runs a file as `npm test` does. */
const COMMANDS = {
  openapi: ['scripts/openapi.ts', 'writes openapi.json, docs/lists.md and the types of sdk/'],
  tables: ['scripts/tables.ts', 'writes the row types of the migrations'],
  settings: ['scripts/settings.ts', 'writes docs/settings.md'],
  examples: ['scripts/examples.ts', 'merges examples of a test run into the API documentation'],
  web: ['scripts/build-packages.mjs web', 'builds the site'],
  console: ['scripts/build-packages.mjs console', 'builds the console'],
  site: [
    'npm --prefix site ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error && npm --prefix site run --silent build',
    'builds the documentation site',
  ],
  icons: ['scripts/icons.ts', 'draws the icons of the site'],
  pictures: ['scripts/pictures.ts', 'takes the screenshots of README and docs'],
  screenshots: ['test test/screenshots.ts', 'takes the pictures of GET / and of the mails'],
  fuzz: ['scripts/fuzz.ts', 'sends inputs made from the schemas (docs/testing.md)'],
  mutate: ['scripts/mutate.ts', 'removes guards and runs the tests (docs/testing.md)'],
  'compare-wire': ['scripts/compare-wire.ts', 'compares the replies of two test runs'],
  'test:upgrade': ['test/upgrade-serving.ts', 'migrates under a node of an earlier version'],
  'import:sample': ['scripts/import-sample.ts', 'imports a sample of a real ThinkSNS+ database'],
  'release:site': ['scripts/release-site.ts', 'writes the backup of a small site for the upgrade tests'],
  'bench:chat': ['test bench/chat.ts', 'measures conversations (bench/README.md has all benchmarks)'],
  'bench:compare': ['bench/compare.ts', 'compares single operations of two checkouts'],
  'bench:growth': ['bench/growth.ts', 'counts the pages that lists read'],
  'bench:hot': ['bench/hot.ts', 'measures likes of one feed'],
  'bench:idle': ['test bench/idle.ts', 'measures 10,000 open streams'],
  'bench:import': ['bench/import.ts', 'measures the import of a whole community'],
  'bench:media': ['bench/media.ts', 'writes large files to import'],
  'bench:money': ['bench/money.ts', 'measures purchases'],
  'bench:scale': ['bench/scale.ts', 'measures a million feeds'],
  'bench:signals': ['bench/signals.ts', 'measures signals between processes'],
  'bench:site': ['bench/site.ts', 'measures a realistic load'],
  'bench:soak': ['bench/soak.ts', 'drives a server for half an hour'],
  'bench:streams': ['bench/streams.ts', 'opens thousands of streams at once'],
  'bench:web': ['bench/web.ts', 'measures pages of the site'],
}

const [name, ...given] = process.argv.slice(2)
const [program] = (Object.hasOwn(COMMANDS, name ?? '') && COMMANDS[name]) || []
if (!program) {
  for (const [each, [, does]] of Object.entries(COMMANDS)) console.log(`${each.padEnd(16)}${does}`)
  if (name !== undefined) console.error(`\nNo command is named ${name}.`)
  process.exit(name === undefined ? 0 : 2)
}
if (program.startsWith('test ') && given.includes('--help')) {
  console.log(COMMANDS[name][1])
  process.exit(0)
}
if (program.startsWith('npm '))
  process.exit(spawnSync(program, { shell: true, stdio: 'inherit' }).status ?? 1)
process.argv.splice(
  2,
  Number.POSITIVE_INFINITY,
  ...program.replace(/^test /, 'scripts/test.ts ').split(' '),
  ...given,
)
await import('./run.mjs')
