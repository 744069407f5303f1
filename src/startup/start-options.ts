import { suggestWord } from '#lib/closest.ts'

const OPTIONS = ['--demo', '--help']

export const START_USAGE = `Usage: npm start [-- --demo]

  --demo   Fill an empty site with a community first (docs/demo.md)

Environment variables configure the server, for example PORT=9000 npm start (docs/running.md).
\`npx kith help\` lists the other commands.
`

export class StartUsageError extends Error {}

/** `npm start --demo` passes the option as the variable `npm_config_demo` instead of an argument. */
export function readStartOptions(args: readonly string[], env: NodeJS.ProcessEnv): Set<string> {
  if (env.npm_config_demo === 'true' && env.npm_lifecycle_event === 'start')
    throw new StartUsageError('npm consumed --demo: use npm start -- --demo')
  const unknown = args.find((arg) => !OPTIONS.includes(arg))
  if (unknown === undefined) return new Set(args)
  const [, dashes = '', name = ''] = /^(-*)([^=]*)/.exec(unknown) ?? []
  const meant = suggestWord(`--${name}`, OPTIONS, 2)
  if (meant !== undefined) throw new StartUsageError(`unknown argument ${unknown}: did you mean ${meant}?`)
  const variable = dashes ? name.toUpperCase().replaceAll('-', '_') : 'PORT'
  throw new StartUsageError(
    `unknown argument ${unknown}: settings are environment variables, for example ${variable}=… npm start`,
  )
}
