import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { suggestWord } from '#lib/closest.ts'
import { messageOf } from '#lib/faults.ts'
import { cacheCompiledCode } from '#platform/compile-cache.ts'
import { requireRuntime } from '#platform/runtime.ts'

requireRuntime()
cacheCompiledCode()

const PASSWORDS =
  'Without --password the command prompts for one. Without a terminal, or with --random, it generates and prints one.\n'

const USAGE = `Usage: kith <command>

  start [--demo]                   Run the server (the same as npm start); --demo fills an empty site first
  worker                           Run background jobs for servers with WORKER=separate
  migrate                          Upgrade the database to this version
  admin create NAME                Create an administrator
        [--password TEXT | --random] [--role NAME]...
  admin reset-password NAME        Set a new password and revoke every sign-in of the account
        [--password TEXT | --random] [--enable] [--unlink]
                                   --enable also enables a disabled account; --unlink also ends its links with
                                   accounts outside, which sign in without the password
  admin unblock ADDRESS            Remove the network blocks that contain the address
  import music|news FILE           Import a file with one JSON object per line; a repeated run resumes
        [--files DIR] [--again]    Existing rows stay unchanged; --again reads all lines again
  import thinksns                  Import a whole community from ThinkSNS+ (docs/migrate-from-thinksns.md)
        --database mysql://USER:PASSWORD@HOST/NAME --files DIR|s3://BUCKET --time-zone ZONE
        [--prefix TEXT] [--dry-run] [--report FILE] [--resume] [--again] [--tls] [--tls-ca FILE]
        [--waiting keep|refund] [--old-wallets] [--old-prices] [--lock-disablers]
        --close                    Close the import; no further run is possible
  export music|news [FILE]         Write the same format, to standard output without FILE
        [--files DIR]              Copy uploads to DIR instead of FILE.files (docs/import.md has the format)
  backup FILE|s3://BUCKET/NAME     Write database, uploads and secret to one file, while the server runs
  restore FILE|s3://BUCKET/NAME    Verify and restore a backup, while no server runs
        [--force]                  Delete the content of a database that is not empty
  demo                             Fill an empty site with a community (docs/demo.md), the same for the same seed
        [--scale small|medium|large] [--seed N] [--password TEXT] [--force]
        --remove                   Delete the demo data, and nothing else
  doctor [--mend]                  Recount every counter, check constraints and indexes; --mend repairs counters
  doctor im [--mend]               Compare chat groups with the instant-messaging provider; --mend repairs them
  doctor payments                  Ask every payment provider, and count open payments and differences
  doctor audit [FILE]              Verify the hash chain of the audit log, and print its anchor
                                   FILE holds anchors that were kept outside
  scale notifications              Print the SQL that distributes the notifications over a Citus cluster
  sms test NUMBER                  Send a code that opens nothing, as the site would send one
  sms receipts                     Print the addresses to which services report deliveries (docs/sms.md)
  help                             Show this
  --version                        Show the version

${PASSWORDS}Configuration comes from the environment, as for the server. Commands work while the server runs.
`

const ENTRIES = USAGE.split(/^(?= {2}[a-z])/m)
  .slice(1)
  .map((entry) => entry.replace(/\n\n[\s\S]*/, '\n'))
const COMMANDS = [...new Set(ENTRIES.flatMap((entry) => /^ {2}(\w+)/.exec(entry)?.[1] ?? []))]

/** An invalid command line. The exit code is 2. */
class UsageError extends Error {}

function usageOf(words: readonly string[]): string {
  const [command = ''] = words
  const own = ENTRIES.filter((entry) => entry.startsWith(`  ${command} `))
  if (!COMMANDS.includes(command) || own.length === 0) return USAGE
  const exact = own.filter((entry) => entry.startsWith(`  ${command} ${words[1]} `))
  const notes = command === 'admin' || command === 'demo' ? `\n${PASSWORDS}` : ''
  return `Usage of kith ${command}:\n\n${(exact.length > 0 ? exact : own).join('')}${notes}\n\`kith help\` lists all commands.\n`
}

function didYouMean(given: string, known: readonly string[], prefix = ''): string {
  const meant = suggestWord(given, known, 2)
  return meant === undefined ? '' : `: did you mean ${prefix}${meant}?`
}

const isPair = (command: string, word: string | undefined) =>
  ENTRIES.some((entry) => entry.startsWith(`  ${command} ${word} `)) ||
  (['import', 'export'].includes(command) && word !== undefined)

/** Throws a one-sentence error when a file or folder is missing, before any work starts. */
async function requireThere(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) throw new Error(`no such file or folder: ${path}`)
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && code === 'ENOENT') return `no such file or folder: ${path}`
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
    throw new UsageError(`unknown option --${unknown}${didYouMean(unknown, Object.keys(OPTIONS), '--')}`)
  }
  const { values, positionals } = parsed
  const [command = values.help ? 'help' : '', ...rest] = positionals
  const expect = (wanted: Record<string, string>, ...options: string[]) => {
    const given = rest.slice(isPair(command, rest[0]) ? 1 : 0)
    const called = `kith ${[command, ...rest.slice(0, rest.length - given.length)].join(' ')}`
    const names = Object.keys(wanted)
    const missing = names[given.length]
    if (missing !== undefined) throw new UsageError(`\`${called}\` lacks ${missing}, ${wanted[missing]}`)
    const extra = given[names.length]
    if (extra !== undefined)
      throw new UsageError(
        `\`${called}\` takes ${names.length === 0 ? 'no argument' : names.join(' and ')}, so "${extra}" is too much`,
      )
    for (const name of Object.keys(values))
      if (!options.includes(name))
        throw new UsageError(`\`${called}\` has no option --${name}${didYouMean(name, options, '--')}`)
  }
  if (values.help || command === 'help') {
    process.stdout.write(usageOf(command === 'help' ? rest : positionals))
    return 0
  }
  if (values.version) {
    process.stdout.write(`Kith ${(await import('#platform/version.ts')).VERSION}\n`)
    return 0
  }
  switch (command) {
    case 'start':
      expect({}, 'demo')
      await import('./main.ts')
      return -1
    case 'worker': {
      expect({})
      const { work } = await import('./commands/worker.ts')
      return work(env)
    }
    case 'migrate': {
      expect({})
      const { migrateDatabase } = await import('./commands/maintenance.ts')
      return migrateDatabase(env)
    }
    case 'demo': {
      const { fillDemo, removeDemo, SCALES } = await import('../demo/command.ts')
      if (values.remove) {
        expect({}, 'remove')
        return removeDemo(env)
      }
      expect({}, 'scale', 'seed', 'password', 'force')
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
        expect({}, 'mend')
        const { examineIm } = await import('./commands/maintenance.ts')
        return examineIm(env, { mend: values.mend ?? false })
      }
      if (rest[0] === 'payments') {
        expect({})
        const { examinePayments } = await import('./commands/maintenance.ts')
        return examinePayments(env)
      }
      if (rest[0] === 'audit') {
        expect(rest.length === 1 ? {} : { FILE: 'anchors that were kept outside' })
        const { examineAudit } = await import('./commands/maintenance.ts')
        return examineAudit(env, rest[1])
      }
      expect({}, 'mend')
      const { runDoctor } = await import('./commands/maintenance.ts')
      return runDoctor(env, { mend: values.mend ?? false })
    }
    case 'backup': {
      expect({ FILE: 'the file to write, or s3://BUCKET/NAME' })
      const { backUp } = await import('./commands/backup.ts')
      return backUp(env, rest[0] ?? '')
    }
    case 'restore': {
      expect({ FILE: 'the backup to restore, or s3://BUCKET/NAME' }, 'force')
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
          'lock-disablers',
          'tls',
          'tls-ca',
        ]
        if (values.close) expect({}, 'close')
        else expect({}, 'database', 'files', 'time-zone', ...choices)
        if (!values.close && values.database === undefined)
          throw new UsageError('give the URL of the old database with --database')
        if (values.files !== undefined && !values.files.startsWith('s3://')) await requireThere(values.files)
        if (values['tls-ca'] !== undefined) await requireThere(values['tls-ca'])
        const { importThinkSns } = await import('../importers/thinksns/import.ts')
        return importThinkSns(env, values)
      }
      const { AREAS, exportFile, importFile } = await import('./commands/import.ts')
      const area = AREAS.find((name) => name === rest[0])
      if (!area)
        throw new UsageError(
          `name what to ${command}: ${[...AREAS, ...(command === 'import' ? ['thinksns'] : [])].join(' or ')}`,
        )
      if (command === 'export') {
        expect(rest.length === 1 ? {} : { FILE: 'the file to write' }, 'files')
        return exportFile(env, area, rest[1], values)
      }
      expect({ FILE: 'the file to read' }, 'files', 'again')
      await requireThere(rest[1] ?? '')
      if (values.files !== undefined) await requireThere(values.files)
      return importFile(env, area, rest[1] ?? '', values)
    }
    case 'scale': {
      if (rest[0] !== 'notifications') throw new UsageError('name what to scale: scale notifications')
      expect({})
      const { DISTRIBUTION_SQL } = await import('#modules/notifications/index.ts')
      process.stdout.write(DISTRIBUTION_SQL)
      return 0
    }
    case 'sms': {
      const { listReceiptAddresses, testSms } = await import('./commands/sms.ts')
      if (rest[0] === 'test') {
        expect({ NUMBER: 'the phone number that gets the message' })
        return testSms(env, rest[1] ?? '')
      }
      if (rest[0] !== 'receipts') throw new UsageError('name an action: sms test or sms receipts')
      expect({})
      return listReceiptAddresses(env)
    }
    case 'admin': {
      const [action, name = ''] = rest
      const { createAdministrator, resetPassword, unblock } = await import('./commands/admin.ts')
      if (action === 'create') {
        expect({ NAME: 'the user name of the administrator' }, 'password', 'random', 'role')
        return createAdministrator(env, name, values)
      }
      if (action === 'reset-password') {
        expect({ NAME: 'the user name of the account' }, 'password', 'random', 'enable', 'unlink')
        return resetPassword(env, name, values)
      }
      if (action === 'unblock') {
        expect({ ADDRESS: 'the network address to unblock' })
        return unblock(env, name)
      }
      if (action === undefined)
        throw new UsageError('name an action: admin create, admin reset-password or admin unblock')
      throw new UsageError(
        `unknown command admin ${action}${didYouMean(action, ['create', 'reset-password', 'unblock'], 'admin ')}`,
      )
    }
    default:
      throw new UsageError(
        command === '' ? 'name a command' : `unknown command ${command}${didYouMean(command, COMMANDS)}`,
      )
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  again: { type: 'boolean' },
  close: { type: 'boolean' },
  database: { type: 'string' },
  demo: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  enable: { type: 'boolean' },
  files: { type: 'string' },
  force: { type: 'boolean' },
  'lock-disablers': { type: 'boolean' },
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
  unlink: { type: 'boolean' },
  waiting: { type: 'string' },
} as const

const parse = () => parseArgs({ allowPositionals: true, options: OPTIONS })

try {
  const code = await main(process.env)
  // The server and the worker exit by themselves.
  if (code >= 0) process.exitCode = code
} catch (error) {
  if (error instanceof UsageError) {
    const ending = /[?.]$/.test(error.message) ? '' : '.'
    const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))
    process.stderr.write(`kith: ${error.message}${ending}\n\n${usageOf(words)}`)
    process.exitCode = 2
  } else {
    process.stderr.write(`kith: ${sentenceOf(error)}\n`)
    process.exitCode = 1
  }
}
