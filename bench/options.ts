import { basename } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Options of the benchmarks by name, with what they mean. */
const OPTIONS = {
  against: 'folder of another checkout, which is measured in turns with this one',
  'against-env': 'a setting of the other checkout, as NAME=VALUE',
  comments: 'number of comments',
  connections: 'number of concurrent connections',
  env: 'a setting of the server, as NAME=VALUE',
  fill: 'only fills the database',
  guest: 'sends requests without a token',
  guests: 'share of requests of guests',
  keep: 'folder that keeps the database for later runs',
  kills: 'number of kills',
  minutes: 'duration',
  'no-kill': 'interrupts no run',
  'no-spread': 'omits the run after changes that are spread over all ranges',
  only: 'part of the names of what is measured',
  people: 'number of users',
  processes: 'number of server processes',
  rate: 'requests per second; 0 is as many as possible',
  rounds: 'number of turns',
  scale: 'share of 12 million rows',
  seconds: 'duration of each measurement',
  seed: 'seed of the sequence of requests',
  size: 'size of the database: small, medium or large',
  statements: 'prints the statements',
  streams: 'number of open streams',
  things: 'number of pictures',
  times: 'number of calls of each request',
  writes: 'share of writes',
} as const

type Name = keyof typeof OPTIONS
type Options = {
  [N in Name]?: { type: 'string' | 'boolean'; default?: string | boolean | string[]; multiple?: boolean }
}

function describe(usage: string, options: Options): string {
  const lines = (Object.entries(options) as [Name, NonNullable<Options[Name]>][]).map(
    ([name, { type, default: standard }]) => {
      const hasDefault =
        type === 'string' && standard !== undefined && !Array.isArray(standard) && standard !== ''
      const shown =
        type === 'boolean' ? `--${name}` : `--${name}=${name.replace('against-', '').toUpperCase()}`
      return `  ${shown.padEnd(28)}${OPTIONS[name]}${hasDefault ? ` (${standard})` : ''}`
    },
  )
  return [`Usage: ${basename(process.argv[1] ?? '')} ${usage}`.trimEnd(), ...lines].join('\n')
}

/** Parses the arguments of a benchmark as `parseArgs` does. Prints the options and ends the process for `--help`. */
export function readOptions<const T extends Omit<ParseArgsConfig, 'options'> & { options: Options }>(
  config: T,
  usage = '',
): ReturnType<typeof parseArgs<T>> {
  const help = describe(usage, config.options)
  if (process.argv.slice(2).includes('--help')) {
    console.log(help)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${help}`)
    process.exit(2)
  }
}
