import { randomBytes } from 'node:crypto'
import { ensureFounder } from '#modules/accounts/index.ts'
import { forgetSettings } from '#modules/settings/index.ts'
import type { Opened } from '#platform/open-context.ts'
import { examine } from '../doctor.ts'
import { prepareDatabase } from '../prepare.ts'
import { tasksOn } from '../worker.ts'
import { type Environment, withContext } from './context.ts'
import { KNOWN } from './demo/community.ts'
import { tellStory } from './demo/fill.ts'
import { closeJournal, hasDemo, openJournal } from './demo/journal.ts'
import { DealtWithOthers, removeRows } from './demo/remove.ts'

export const SCALES = ['small', 'medium', 'large'] as const
const CROWDS = {
  small: undefined,
  medium: { people: 1_000, feeds: 20_000 },
  large: { people: 20_000, feeds: 1_000_000 },
}
type Scale = (typeof SCALES)[number]

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** A bar that is drawn again and again; nothing where nobody watches. */
function progressBar(): (share: number, what: string) => void {
  const WIDTH = 30
  let shown = ''
  return (share, what) => {
    if (!process.stderr.isTTY) return
    const done = Math.floor(share * WIDTH)
    const line = `  ${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${String(Math.floor(share * 100)).padStart(3)} %  ${what}`
    if (line !== shown) process.stderr.write(`\r\u001b[2K${line}${share >= 1 ? '\n' : ''}`)
    shown = line
  }
}

/** `kith demo`: fills an empty site with a community. */
export function fillDemo(
  env: Environment,
  options: {
    scale: Scale
    seed: number
    password?: string | undefined
    force: boolean
    unlessFilled?: boolean
  },
): Promise<number> {
  const fill = async ({ ctx, connection }: Opened) => {
    await prepareDatabase(ctx, connection)
    await ensureFounder(ctx)
    const [{ people, feeds }] = await ctx.sql<[{ people: number; feeds: number }]>`
      select (select count(*)::int from (select from users limit 1000) u) as people,
        (select count(*)::int from (select from feeds limit 1000) f) as feeds`
    const isFilled = (await hasDemo(ctx.sql))
      ? 'There is a demo already: take it away with `kith demo --remove`.'
      : null
    const isUsed =
      people > 1 || feeds > 0
        ? 'This site is not empty: the demo would mix with what is there. --force fills it in spite of that.'
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
      progress: progressBar(),
    })
    await closeJournal(ctx.sql)
    const well = await examine(ctx.sql, { mend: false, print: (line) => line.startsWith('✓') || print(line) })
    print(
      `${told.people} people told six weeks in ${told.requests} requests, ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    )
    print('')
    print(`  Administrator   ${KNOWN.administrator}`)
    print(`  Moderator       ${KNOWN.moderator}`)
    print(`  Member          ${KNOWN.member}`)
    print(
      `  Password        ${options.password === undefined ? `${password} (of all three; it is not shown again)` : 'as given'}`,
    )
    return well ? 0 : 1
  }
  // Whatever is lost with the power can be made again.
  return withContext(env, fill, { isDurable: false })
}

/** `kith demo --remove`: takes away what the demo made, and nothing else. */
export function removeDemo(env: Environment): Promise<number> {
  return withContext(env, async ({ ctx, connection }) => {
    await prepareDatabase(ctx, connection)
    if (!(await hasDemo(ctx.sql))) {
      print('There is no demo here.')
      return 1
    }
    try {
      print(`${await removeRows(ctx.sql)} rows of the demo are gone.`)
    } catch (error) {
      if (!(error instanceof DealtWithOthers)) throw error
      print(error.message)
      return 1
    }
    forgetSettings(ctx)
    await tasksOn(ctx).tidy_files?.({}, undefined as never)
    return (await examine(ctx.sql, { mend: true, print: () => {} })) ? 0 : 1
  })
}
