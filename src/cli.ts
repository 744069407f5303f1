import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { closest } from '#lib/closest.ts'
import { messageOf } from '#lib/faults.ts'
import { cacheCompiledCode } from '#platform/compile-cache.ts'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
cacheCompiledCode()

const USAGE = `Usage: kith <command>

  start                            Run the server (the same as npm start)
  worker                           Run background jobs beside servers that have WORKER=separate
  migrate                          Bring the database up to this version
  admin create NAME                Create an administrator
        [--password TEXT | --random] [--role NAME]...
  admin reset-password NAME        Set a new password, which ends every sign-in of the account
        [--password TEXT | --random]
  admin unblock ADDRESS            Remove the blocks of addresses that hold it
  import music|news FILE           Import a file of one JSON object a line; run again, it goes on where it stopped
        [--files DIR] [--again]    What is there already stays as it is; --again reads all lines once more
  import thinksns                  Bring a whole community over from ThinkSNS+ (docs/migrate-from-thinksns.md)
        --database mysql://USER:PASSWORD@HOST/NAME --files DIR|s3://BUCKET --time-zone ZONE
        [--prefix TEXT] [--dry-run] [--report FILE] [--resume] [--again] [--tls] [--tls-ca FILE]
        [--waiting keep|refund] [--old-wallets] [--old-prices]
        --close                    End the move: nothing is imported after it
  export music|news [FILE]         Write the same format, to standard output without FILE
        [--files DIR]              Uploads are beside it in FILE.files, or in DIR (docs/import.md tells the format)
  backup FILE|s3://BUCKET/NAME     Write database, uploads and secret to one file, while the server runs
  restore FILE|s3://BUCKET/NAME    Verify such a file and bring it back, while no server runs
        [--force]                  Into a database that is not empty, whose content is removed
  demo                             Fill an empty site with a community (docs/demo.md), the same for the same seed
        [--scale small|medium|large] [--seed N] [--password TEXT] [--force]
        --remove                   Take away what the demo made, and nothing else
  doctor [--mend]                  Recount every counter, check constraints and indexes; --mend sets counters right
  doctor im [--mend]               Compare chat groups with the instant-messaging provider's; --mend sets them right
  help                             Show this
  --version                        Show which version this is

Without --password the password is asked for; where there is nobody to ask, or with --random, one is made up and printed.
Configuration comes from the environment, as for the server. Commands work while the server runs.
`

const COMMANDS = [
  ...['start', 'worker', 'migrate', 'admin', 'import', 'export', 'backup', 'restore', 'doctor', 'help'],
]

/** Thrown for a command line that makes no sense: exit code 2. */
class UsageError extends Error {}

/** The question whether a known word was meant, where one is near. */
function didYouMean(given: string, known: readonly string[], prefix = ''): string {
  const meant = closest(given, known, 2)
  return meant === undefined ? '' : `: did you mean ${prefix}${meant}?`
}

/** Throws in one sentence where a file or folder is not there, before anything is begun. */
async function requireThere(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) throw new Error(`there is no file or folder ${path}`)
}

/** What went wrong with a file, as a sentence; the message of other errors. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && code === 'ENOENT') return `there is no file or folder ${path}`
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM')) return `this user may not use ${path}`
  if (path !== undefined && code === 'EISDIR') return `${path} is a folder`
  return error.message
}

async function main(env: NodeJS.ProcessEnv): Promise<number> {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse()
  } catch (error) {
    const message = messageOf(error)
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(message) ?? []
    if (unknown === undefined) throw new UsageError(message)
    throw new UsageError(`there is no option --${unknown}${didYouMean(unknown, Object.keys(OPTIONS), '--')}`)
  }
  const { values, positionals } = parsed
  const [command = values.help ? 'help' : '', ...rest] = positionals
  const expect = (count: number, ...options: string[]) => {
    if (rest.length !== count) throw new UsageError(`\`kith ${command}\` does not look like that`)
    for (const name of Object.keys(values))
      if (name !== 'help' && !options.includes(name))
        throw new UsageError(`\`kith ${command}\` has no option --${name}`)
  }
  if (values.help || command === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  if (values.version) {
    process.stdout.write(`Kith ${(await import('#platform/version.ts')).VERSION}\n`)
    return 0
  }
  switch (command) {
    case 'start':
      expect(0)
      await import('./main.ts')
      return -1
    case 'worker': {
      expect(0)
      const { work } = await import('./commands/worker.ts')
      return work(env)
    }
    case 'migrate': {
      expect(0)
      const { migrateDatabase } = await import('./commands/maintenance.ts')
      return migrateDatabase(env)
    }
    case 'demo': {
      const { fillDemo, removeDemo, SCALES } = await import('./commands/demo.ts')
      if (values.remove) {
        expect(0, 'remove')
        return removeDemo(env)
      }
      expect(0, 'scale', 'seed', 'password', 'force')
      const scale = SCALES.find((name) => name === (values.scale ?? 'small'))
      const seed = Number(values.seed ?? 1)
      if (!scale) throw new UsageError(`--scale is one of ${SCALES.join(', ')}`)
      if (!Number.isSafeInteger(seed) || seed < 0) throw new UsageError('--seed is a whole number')
      if (values.password !== undefined && values.password.length < 8)
        throw new UsageError('--password has at least 8 characters')
      return fillDemo(env, { scale, seed, password: values.password, force: values.force ?? false })
    }
    case 'doctor': {
      if (rest[0] === 'im') {
        expect(1, 'mend')
        const { examineIm } = await import('./commands/im.ts')
        return examineIm(env, { mend: values.mend ?? false })
      }
      expect(0, 'mend')
      const { runDoctor } = await import('./commands/maintenance.ts')
      return runDoctor(env, { mend: values.mend ?? false })
    }
    case 'backup': {
      expect(1)
      const { backUp } = await import('./commands/backup.ts')
      return backUp(env, rest[0] ?? '')
    }
    case 'restore': {
      expect(1, 'force')
      const { restore } = await import('./commands/backup.ts')
      return restore(env, rest[0] ?? '', { force: values.force ?? false })
    }
    case 'import':
    case 'export': {
      if (command === 'import' && rest[0] === 'thinksns') {
        const choices = [
          'prefix',
          'dry-run',
          'report',
          'resume',
          'again',
          'waiting',
          'old-wallets',
          'old-prices',
          'tls',
          'tls-ca',
        ]
        if (values.close) expect(1, 'close')
        else expect(1, 'database', 'files', 'time-zone', ...choices)
        if (!values.close && values.database === undefined)
          throw new UsageError('say with --database where the old database is')
        if (values.files !== undefined && !values.files.startsWith('s3://')) await requireThere(values.files)
        if (values['tls-ca'] !== undefined) await requireThere(values['tls-ca'])
        const { importThinkSns } = await import('./commands/thinksns/import.ts')
        return importThinkSns(env, values)
      }
      const { AREAS, exportFile, importFile } = await import('./commands/import.ts')
      const area = AREAS.find((name) => name === rest[0])
      if (!area) throw new UsageError(`say what to ${command}: ${AREAS.join(' or ')}`)
      if (command === 'export') {
        expect(rest.length === 1 ? 1 : 2, 'files')
        return exportFile(env, area, rest[1], values)
      }
      expect(2, 'files', 'again')
      await requireThere(rest[1] ?? '')
      if (values.files !== undefined) await requireThere(values.files)
      return importFile(env, area, rest[1] ?? '', values)
    }
    case 'admin': {
      const [action, name = ''] = rest
      const { createAdministrator, resetPassword, unblock } = await import('./commands/admin.ts')
      if (action === 'create') {
        expect(2, 'password', 'random', 'role')
        return createAdministrator(env, name, values)
      }
      if (action === 'reset-password') {
        expect(2, 'password', 'random')
        return resetPassword(env, name, values)
      }
      if (action === 'unblock') {
        expect(2)
        return unblock(env, name)
      }
      if (action === undefined) throw new UsageError('say what to do: admin create or admin reset-password')
      throw new UsageError(
        `there is no command admin ${action}${didYouMean(action, ['create', 'reset-password', 'unblock'], 'admin ')}`,
      )
    }
    default:
      throw new UsageError(
        command === '' ? 'say what to do' : `there is no command ${command}${didYouMean(command, COMMANDS)}`,
      )
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  again: { type: 'boolean' },
  close: { type: 'boolean' },
  database: { type: 'string' },
  'dry-run': { type: 'boolean' },
  files: { type: 'string' },
  force: { type: 'boolean' },
  mend: { type: 'boolean' },
  'old-prices': { type: 'boolean' },
  'old-wallets': { type: 'boolean' },
  password: { type: 'string' },
  prefix: { type: 'string' },
  random: { type: 'boolean' },
  remove: { type: 'boolean' },
  report: { type: 'string' },
  resume: { type: 'boolean' },
  role: { type: 'string', multiple: true },
  scale: { type: 'string' },
  seed: { type: 'string' },
  'time-zone': { type: 'string' },
  tls: { type: 'boolean' },
  'tls-ca': { type: 'string' },
  waiting: { type: 'string' },
} as const

const parse = () => parseArgs({ allowPositionals: true, options: OPTIONS })

try {
  const code = await main(process.env)
  // The server and the worker end by themselves.
  if (code >= 0) process.exitCode = code
} catch (error) {
  if (error instanceof UsageError) {
    const ending = /[?.]$/.test(error.message) ? '' : '.'
    process.stderr.write(`kith: ${error.message}${ending}\n\n${USAGE}`)
    process.exitCode = 2
  } else {
    process.stderr.write(`kith: ${sentenceOf(error)}\n`)
    process.exitCode = 1
  }
}
