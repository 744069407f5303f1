import { contentKinds, readersOf } from '#contracts/content.ts'
import type { CounterCheck } from '#contracts/counters.ts'
import { declareEndings } from '#contracts/ending.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import type { SettingChecks } from '#modules/settings/index.ts'
import { mergeStatistics } from '#modules/statistics/index.ts'
import type { Context } from '#platform/context.ts'
import type { FileUse, Module, Services, Site } from './module.ts'
import { MODULES } from './modules.ts'
import { ADDRESS_PROBES } from './probes/address.ts'
import { backupCheckProbe } from './probes/backup-check.ts'
import { SERVICE_PROBES } from './probes/services.ts'

const all = <P extends keyof Module>(part: P) =>
  MODULES.flatMap((module) => (module[part] === undefined ? [] : [module[part] as NonNullable<Module[P]>]))
const inPlace = <T extends { place: number }>(parts: T[]) => parts.toSorted((a, b) => a.place - b.place)

const offered: Partial<Services> = Object.assign({}, ...all('offers'))
const kinds = contentKinds(
  all('kinds')
    .flat()
    .toSorted((a, b) => a.code - b.code),
)

declareEndings([
  ...kinds.map(({ type, live }) => ({ type, live })),
  ...all('endings').flatMap((endings) => endings(kinds)),
])

const settingChecks = all('settingChecks')
const paymentChecks: CounterCheck[] = [
  ...all('paymentChecks').flat(),
  ...kinds.flatMap((kind) => kind.paymentChecks ?? []),
]

/**
 * Maps each use of files to the reader of its content, and to the ability that grants access anyway. File ids
 * can be guessed, so the content decides on access.
 */
const HOLDERS = new Map(
  kinds.flatMap(({ reader, files = {} }) =>
    Object.entries(files).map(([use, ability]) => [use, { reader, ability: ability as Ability }]),
  ),
)
const CONFIDENTIAL: NonNullable<Module['confidentialFiles']> = Object.assign({}, ...all('confidentialFiles'))

/** Returns true when the viewer may not read the content that contains the file (files-15). */
async function hidesFile(ctx: Context, file: FileUse, viewerId: number): Promise<boolean> {
  const { owner_id: owner, channel, raw } = file
  if (channel === null) return owner !== viewerId
  // Checks the uploader's access too, because the uploader may be a former administrator.
  const mayRead = CONFIDENTIAL[channel]
  if (mayRead) return !(await mayRead(ctx, { raw }, viewerId))
  const holder = HOLDERS.get(channel)
  if (!holder || raw === null) return false
  const { reader, ability } = holder
  const shown = await (reader.readable ?? reader.visible)(ctx.sql, [raw], viewerId)
  if (shown.has(raw)) return false
  return viewerId === 0 || !(await hasAbility(ctx, viewerId, ability))
}

/** Checks only feeds, songs and albums, which keep their files after a deletion. Other content deletes its files. */
async function isFileGone(ctx: Context, { channel, raw }: FileUse): Promise<boolean> {
  const reader = HOLDERS.get(channel ?? '')?.reader
  if (!reader?.open || raw === null) return false
  const live = await (reader.live ?? ((sql, ids) => reader.visible(sql, ids, 0)))(ctx.sql, [raw])
  return !live.has(raw)
}

/** URLs of these files work for minutes only, and earlier URLs fail: papers, and pictures of private accounts. */
async function isConfidential(ctx: Context, { channel, raw }: FileUse): Promise<boolean> {
  if (confidential.has(channel ?? '')) return true
  const reader = HOLDERS.get(channel ?? '')?.reader
  return raw !== null && ((await reader?.closedTo?.(ctx.sql, [raw], 0))?.has(raw) ?? false)
}

function service<N extends keyof Services>(name: N): Services[N] {
  const found = offered[name]
  if (found === undefined) throw new Error(`No module offers ${name}`)
  return found
}

const confidential: ReadonlySet<string> = new Set(Object.keys(CONFIDENTIAL))

export const SITE: Site = {
  kinds,
  readers: readersOf(kinds),
  removals: Object.assign(
    Object.fromEntries(kinds.map(({ type, removal }) => [type, removal])),
    ...all('removals'),
  ),
  searchables: inPlace(all('search')),
  digests: inPlace(all('digest')),
  statistics: mergeStatistics(inPlace(all('statistics'))),
  personalData: inPlace(all('personalData')).flatMap(({ tables }) => tables),
  // Erasers run before the user's balance is forfeited, because they may refund points.
  erasers: all('erase').map((erase) => (_ctx, tx, userId) => erase(tx, userId)),
  paymentChecks,
  settings: Object.assign({}, ...all('settings')),
  settingChecks: {
    errors: [...new Set(settingChecks.flatMap(({ errors }) => errors))],
    async check(...given) {
      for (const { check } of settingChecks) await check(...given)
    },
    async prepare(...given) {
      const works: Awaited<ReturnType<NonNullable<SettingChecks['prepare']>>>[] = []
      for (const { prepare } of settingChecks) works.push(await prepare?.(...given))
      return async (tx) => {
        for (const work of works) await work?.(tx)
      }
    },
  },
  probes: [...all('probes').flat(), ...SERVICE_PROBES, backupCheckProbe, ...ADDRESS_PROBES],
  files: {
    isConfidential,
    isGone: isFileGone,
    on: (ctx) => ({
      findUnpaid: (file, viewer) => service('findUnpaidFile')(ctx.sql, file, viewer),
      isHidden: (file, viewer) => hidesFile(ctx, file, viewer),
      isConfidential: (file) => isConfidential(ctx, file),
      confidential,
    }),
  },
  service,
}

export const ROUTES = all('routes').flatMap((routes) => routes(SITE))
export const OUTER_ROUTES = all('outerRoutes').flatMap((routes) => routes(SITE))
export const TASKS = all('tasks').flatMap((tasks) => tasks(SITE))
export const SCHEDULES = all('schedules').flat()
export const POOLS = all('pools').flat()
export const LEFTOVERS = all('leftovers').flat()

/**
 * Orders checks by module from high to low, because counters of lower modules sum up counters of higher ones.
 */
export const COUNTERS: CounterCheck[] = [
  ...MODULES.toReversed().flatMap(({ kinds: own = [], counters = [] }) => [
    ...counters,
    ...own.flatMap((kind) => kind.counters ?? []),
  ]),
  ...all('moneyChecks').flat(),
  ...paymentChecks,
]
