import { stat } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { cacheCompiledCode, requireRuntime } from '#platform/runtime.ts'
import { VERSION } from '#platform/version.ts'

requireRuntime()
cacheCompiledCode()

const { env } = process
const maintenance = () => import('./commands/maintenance.ts')
const moves = () => import('./commands/import.ts')
const administration = () => import('./commands/admin.ts')

const program = new Command('kith')
  .usage('<command>')
  .version(`Kith ${VERSION}`)
  .enablePositionalOptions()
  .showHelpAfterError()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error/, 'kith')) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .addHelpText(
    'after',
    '\nCommands read the same environment variables as the server. All except restore work while it runs.',
  )

/** Wraps an action, so that its result becomes the exit code. */
const exits =
  <A extends unknown[]>(run: (...given: A) => Promise<number>) =>
  async (...given: A) => {
    process.exitCode = await run(...given)
  }

/** Throws a one-sentence error when a file or folder is missing, before any work starts. */
async function requireThere(...paths: (string | undefined)[]): Promise<void> {
  for (const path of paths)
    if (path !== undefined && !(await stat(path).catch(() => undefined)))
      throw new Error(`no such file or folder: ${path}`)
}

/** Describes a file error in a sentence. Returns the message of any other error. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && code === 'ENOENT') return `no such file or folder: ${path}`
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM')) return `permission denied: ${path}`
  if (path !== undefined && code === 'EISDIR') return `${path} is a folder`
  return error.message
}

program
  .command('start')
  .description('Run the server (the same as npm start)')
  .option('--demo', 'Fill an empty site first')
  .action(() => import('./main.ts').then(() => {}))

program
  .command('worker')
  .description('Run background jobs for servers with WORKER=separate')
  .action(exits(async () => (await import('./commands/worker.ts')).work(env)))

program
  .command('migrate')
  .description('Upgrade the database to this version')
  .action(exits(async () => (await import('./commands/migrate.ts')).migrateDatabase(env)))

const admin = program.command('admin').description('Create administrators and repair access to accounts')
for (const [name, does] of [
  ['create', 'Create an administrator'],
  ['reset-password', 'Set a new password and revoke all sessions of the account'],
] as const) {
  const command = admin
    .command(name)
    .description(does)
    .argument('<NAME>', 'User name')
    .option('--password <TEXT>', 'Password')
    .option('--random', 'Generate a password and print it')
    .addHelpText(
      'after',
      '\nWithout --password the command prompts for one. Without a terminal, or with --random, it generates and prints one.',
    )
  if (name === 'create')
    command
      .option('--role <NAME>', 'Role (repeatable)', (role, others: string[] = []) => [...others, role])
      .action(
        exits(async (user, options) => (await administration()).createAdministrator(env, user, options)),
      )
  else
    command
      .option('--enable', 'Also enable a disabled account')
      .option('--unlink', 'Also unlink external accounts, which can sign in without the password')
      .action(exits(async (user, options) => (await administration()).resetPassword(env, user, options)))
}
admin
  .command('unblock')
  .description('Remove the network blocks that contain the address')
  .argument('<ADDRESS>', 'IP address or network')
  .action(exits(async (address) => (await administration()).unblock(env, address)))

const imports = program.command('import').description('Import music, news or a whole community')
const exports = program.command('export').description('Export music or news')
for (const area of ['music', 'news'] as const) {
  imports
    .command(area)
    .description('Import a file with one JSON object per line; a repeated run resumes (docs/import.md)')
    .argument('<FILE>', 'File to read')
    .option('--files <DIR>', 'Folder of the uploads (default: FILE.files)')
    .option('--again', 'Read all lines again; existing rows stay unchanged')
    .action(
      exits(async (file, options) => {
        await requireThere(file, options.files)
        return (await moves()).importFile(env, area, file, options)
      }),
    )
  exports
    .command(area)
    .description('Write a file in the format of the import')
    .argument('[FILE]', 'File to write instead of standard output')
    .option('--files <DIR>', 'Folder of the uploads (default: FILE.files)')
    .action(exits(async (file, options) => (await moves()).exportFile(env, area, file, options)))
}
imports
  .command('verify')
  .description('Compare the import from ThinkSNS+ with the old database, without the code of the import')
  .requiredOption('--database <URL>', 'Old database: mysql://USER:PASSWORD@HOST/NAME')
  .option('--prefix <TEXT>', 'Prefix of the tables of the old database')
  .option('--files <PLACE>', 'Old uploads, whose bytes are compared too: a folder or s3://BUCKET')
  .option('--tls', 'Encrypt the connection to the old database')
  .option('--tls-ca <FILE>', 'Also verify its certificate with the authorities in this file')
  .action(
    exits(async (options) => {
      await requireThere(options.files?.startsWith('s3://') ? undefined : options.files, options.tlsCa)
      return (await import('../importers/thinksns/verify/verify.ts')).verifyThinkSns(env, options)
    }),
  )

imports
  .command('letters')
  .description('Tell users by mail or text message the name that the closed import gave them, once')
  .option('--dry-run', 'Print the letters without sending them')
  .action(
    exits(async (options) => (await import('../importers/thinksns/letters.ts')).importLetters(env, options)),
  )

imports
  .command('thinksns')
  .description('Import a whole community from ThinkSNS+ (docs/migrate-from-thinksns.md)')
  .option('--database <URL>', 'Old database: mysql://USER:PASSWORD@HOST/NAME')
  .option('--files <PLACE>', 'Old uploads: a folder or s3://BUCKET')
  .option('--time-zone <ZONE>', 'Time zone of the old database')
  .option('--prefix <TEXT>', 'Prefix of the tables of the old database')
  .option('--dry-run', 'Rehearse the import, and roll back all changes at the end')
  .option('--report <FILE>', 'Write merged and skipped rows and changed values to this file')
  .option('--resume', 'Continue an interrupted run; fail if there is none')
  .option('--again', 'Read all rows again, not only changed ranges')
  .option('--tls', 'Encrypt the connection to the old database')
  .option('--tls-ca <FILE>', 'Also verify its certificate with the authorities in this file')
  .option('--waiting <keep|refund>', 'Keep or refund payments of pending requests (default: keep)')
  .option(
    '--old-wallets',
    'Add wallet balances from before version 1.8, for users who never used the newer wallet',
  )
  .option('--old-prices', 'Keep feed prices of version 1.x, which 2.x ignored')
  .option('--lock-disablers', 'Disable users with the role disabler, except founders')
  .option('--accept <FILE>', 'Confirm the decisions in this report, which --close requires')
  .option('--close', 'Close the import after `kith import verify` ended with go; no further run is possible')
  .option('--unverified', 'With --close: do not require `kith import verify`')
  .action(
    exits(async (options, command) => {
      const { close, accept, unverified, ...others } = options
      const isRun = !close && accept === undefined
      if (!isRun && Object.keys(others).length > 0)
        command.error('kith: --close and --accept cannot be combined with other options')
      if (unverified && !close) command.error('kith: --unverified requires --close')
      if (isRun && options.database === undefined)
        command.error('kith: give the URL of the old database with --database')
      await requireThere(
        options.files?.startsWith('s3://') ? undefined : options.files,
        options.tlsCa,
        accept,
      )
      return (await import('../importers/thinksns/import.ts')).importThinkSns(env, options)
    }),
  )

program
  .command('backup')
  .description('Write the database, uploads and secret to one file while the server runs')
  .argument('<FILE>', 'File to write, or s3://BUCKET/NAME')
  .option('--check', 'Restore FILE into a throw-away database, check it like doctor, and delete it')
  .action(
    exits(async (file, { check }) =>
      check
        ? (await import('./commands/backup-check.ts')).checkBackup(env, file)
        : (await import('./commands/backup.ts')).backUp(env, file),
    ),
  )

program
  .command('restore')
  .description('Verify and restore a backup; stop the server first')
  .argument('<FILE>', 'Backup to restore, or s3://BUCKET/NAME')
  .option('--force', 'Delete the content of a database that is not empty')
  .action(exits(async (file, options) => (await import('./commands/backup.ts')).restore(env, file, options)))

program
  .command('demo')
  .description('Fill an empty site with demo data; the same seed gives the same data (docs/demo.md)')
  .addOption(
    new Option('--scale <SIZE>', 'Amount of data').choices(['small', 'medium', 'large']).default('small'),
  )
  .option('--seed <N>', 'Seed of the random generator', wholeNumber, 1)
  .option('--password <TEXT>', 'Password of the demo accounts', demoPassword)
  .option('--force', 'Add the demo data to a site that is not empty')
  .addOption(
    new Option('--remove', 'Delete the demo data, and nothing else').conflicts([
      'scale',
      'seed',
      'password',
      'force',
    ]),
  )
  .action(
    exits(async ({ remove, ...options }) => {
      const { fillDemo, removeDemo } = await import('../demo/command.ts')
      return remove ? removeDemo(env) : fillDemo(env, options)
    }),
  )

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number.')
  return number
}

function demoPassword(text: string): string {
  if (text.length < 8) throw new InvalidArgumentError('It must have at least 8 characters.')
  return text
}

const doctor = program
  .command('doctor')
  .description('Recount all counters, and check constraints and indexes')
  .option('--mend', 'Repair counters')
  .action(exits(async (options) => (await maintenance()).runDoctor(env, options)))
doctor
  .command('im')
  .description('Compare chat groups with the instant-messaging provider')
  .option('--mend', 'Repair chat groups')
  .action(exits(async (options) => (await maintenance()).examineIm(env, options)))
doctor
  .command('payments')
  .description('Check all payment providers, and count open payments and differences')
  .action(exits(async () => (await maintenance()).examinePayments(env)))
doctor
  .command('audit')
  .description('Verify the hash chain of the audit log, and print its anchor')
  .argument('[FILE]', 'File with anchors from earlier runs')
  .action(exits(async (file) => (await maintenance()).examineAudit(env, file)))

program
  .command('epoch')
  .description('Let clients read again after the database was set back by other means than `kith restore`')
  .action(async () => (await maintenance()).beginSiteEpoch(env))

program
  .command('scale')
  .description('Print SQL for a larger database')
  .command('notifications')
  .description('Print the SQL that distributes the notifications over a Citus cluster')
  .action(async () => {
    const { DISTRIBUTION_SQL } = await import('#modules/notifications/index.ts')
    process.stdout.write(DISTRIBUTION_SQL)
  })

const sms = program.command('sms').description('Test text messages (docs/sms.md)')
sms
  .command('test')
  .description('Send a test code that no sign-in accepts')
  .argument('<NUMBER>', 'Phone number')
  .action(exits(async (number) => (await import('./commands/sms.ts')).testSms(env, number)))
sms
  .command('receipts')
  .description('Print the URLs to which services report deliveries')
  .action(exits(async () => (await import('./commands/sms.ts')).listReceiptAddresses(env)))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`kith: ${sentenceOf(error)}\n`)
  process.exitCode = 1
}
