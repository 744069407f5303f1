import { randomBytes } from 'node:crypto'
import { ensureFounder } from '#modules/accounts/index.ts'
import { updateSettings } from '#modules/settings/index.ts'
import type { OpenedContext } from '#startup/open-context.ts'
import { prepareDatabase } from '#startup/prepare.ts'
import { type Environment, withContext } from '../src/commands/context.ts'
import { diagnose } from '../src/doctor.ts'
import { allTasks } from '../src/worker.ts'
import { KNOWN } from './community.ts'
import { tellStory } from './fill.ts'
import { closeJournal, hasDemo, openJournal } from './journal.ts'
import { DealtWithOthers, removeRows } from './remove.ts'

const CROWDS = {
  small: undefined,
  medium: { people: 1_000, feeds: 20_000 },
  large: { people: 20_000, feeds: 1_000_000 },
}
type Scale = keyof typeof CROWDS

const print = (line: string) => void process.stdout.write(`${line}\n`)

function showProgress(): (share: number, what: string) => void {
  const WIDTH = 30
  let shown = ''
  return (share, what) => {
    const done = Math.floor(share * WIDTH)
    const line = process.stderr.isTTY
      ? `  ${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${String(Math.floor(share * 100)).padStart(3)} %  ${what}`
      : `Demo: ${what}, ${Math.floor(share * 10) * 10} %`
    if (line === shown) return
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${line}${share >= 1 ? '\n' : ''}` : `${line}\n`)
    shown = line
  }
}

const elsewhere = (env: Environment) =>
  `${
    env.DATABASE_URL || env.DATABASE_URL_FILE
      ? 'Use an empty database instead: set DATABASE_URL and DATA_DIR to new values.'
      : 'Use another data directory instead: DATA_DIR=data-demo npm start -- --demo.'
  } To fill this site anyway, run \`npx kith demo --force\`.`

export function fillDemo(
  env: Environment,
  options: {
    scale: Scale
    seed: number
    password?: string | undefined
    force?: boolean
    unlessFilled?: boolean
  },
): Promise<number> {
  process.stderr.write('Demo: preparing the database\n')
  const fill = async ({ ctx, connection }: OpenedContext) => {
    await prepareDatabase(ctx, connection)
    await ensureFounder(ctx)
    const [{ people, feeds }] = await ctx.sql<[{ people: number; feeds: number }]>`
      select (select count(*)::int from (select from users limit 1000) u) as people,
        (select count(*)::int from (select from feeds limit 1000) f) as feeds`
    const isFilled = (await hasDemo(ctx.sql))
      ? 'This site already contains demo data. Delete it with `kith demo --remove`.'
      : null
    const isUsed =
      people > 1 || feeds > 0
        ? `This site is not empty. Demo data would mix with its content. ${elsewhere(env)}`
        : null
    const refusal = isFilled ?? (options.force ? null : isUsed)
    if (refusal) {
      print(refusal)
      return options.unlessFilled ? 0 : 1
    }
    const password = options.password ?? randomBytes(9).toString('base64url')
    const started = performance.now()
    await openJournal(ctx.sql, options.seed, options.scale)
    const told = await tellStory(ctx, connection, {
      seed: options.seed,
      password,
      crowd: CROWDS[options.scale],
      progress: showProgress(),
    })
    await closeJournal(ctx.sql)
    const well = await diagnose(ctx.sql, {
      mend: false,
      print: (line) => line.startsWith('✓') || print(line),
    })
    print(
      `Created six weeks of activity by ${told.people} users with ${told.requests} requests in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    )
    print('')
    print(`  Administrator   ${KNOWN.administrator}`)
    print(`  Moderator       ${KNOWN.moderator}`)
    print(`  Member          ${KNOWN.member}`)
    print(
      `  Password        ${options.password === undefined ? `${password} (for all three accounts; it is not shown again)` : 'as given with --password'}`,
    )
    return well ? 0 : 1
  }
  // Gives up durability for speed, because the demo can be generated again after a power failure.
  return withContext(env, fill, { isDurable: false })
}

export function removeDemo(env: Environment): Promise<number> {
  return withContext(env, async ({ ctx, connection }) => {
    await prepareDatabase(ctx, connection)
    if (!(await hasDemo(ctx.sql))) {
      print('This site contains no demo data.')
      return 1
    }
    try {
      print(`Deleted ${await removeRows(ctx.sql)} rows of demo data.`)
    } catch (error) {
      if (!(error instanceof DealtWithOthers)) throw error
      print(error.message)
      return 1
    }
    await updateSettings(ctx, ctx.sql, {})
    await allTasks(ctx).tidy_files?.({}, undefined as never)
    return (await diagnose(ctx.sql, { mend: true, print: () => {} })) ? 0 : 1
  })
}
