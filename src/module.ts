import type { ContentKind, ContentReaders, ContentRemoval } from '#contracts/content.ts'
import type { CounterCheck } from '#contracts/counters.ts'
import type { DigestSource } from '#contracts/digest.ts'
import type { Ending } from '#contracts/ending.ts'
import type { Probe } from '#contracts/health-check.ts'
import type { PersonalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import type { Statistics } from '#contracts/statistics.ts'
import type { Eraser, tellsAccount } from '#modules/accounts/index.ts'
import type { readBootAdvertisements } from '#modules/advertising/index.ts'
import type { revokeCertification } from '#modules/certifications/index.ts'
import type { feedPost } from '#modules/feeds/index.ts'
import type { FileRoutesOptions, uploadLimits } from '#modules/files/index.ts'
import type { UserFunctions } from '#modules/ledger/index.ts'
import type { deleteLinks } from '#modules/linked-accounts/index.ts'
import type { CreateChatSource, notify } from '#modules/notifications/index.ts'
import type { readSitePages } from '#modules/pages/index.ts'
import type { findUnpaidFile } from '#modules/purchases/index.ts'
import type { mountReports } from '#modules/reports/index.ts'
import type { Definitions, SettingChecks } from '#modules/settings/index.ts'
import type { MergedStatistics } from '#modules/statistics/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import type { Server } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'

type Routes = (server: Server, ctx: Context) => void
type Placed = { place: number }

/**
 * Functions that a module offers to modules of the same or a lower layer. Those modules must not import the
 * offering module.
 */
export type Services = {
  people: UserFunctions
  deleteLinks: typeof deleteLinks
  revokeCertification: typeof revokeCertification
  notify: typeof notify
  createChatSource: CreateChatSource
  mountReports: typeof mountReports
  copyToFeed: typeof feedPost
  findUnpaidFile: typeof findUnpaidFile
  findBootAdvertisements: typeof readBootAdvertisements
  uploadLimits: typeof uploadLimits
  tellsAccount: typeof tellsAccount
  findNewcomersRole(ctx: Context): Promise<string>
  readSitePages: typeof readSitePages
}

export type Leftover = {
  text: string
  /** `doubt`: warning for the operator. If set, the repair does not delete the leftovers. */
  find(ctx: Context): Promise<{ count: number; doubt?: string }>
  clear(ctx: Context): Promise<number>
}

export type FileUse = { owner_id: number; channel: string | null; raw: number | null }

export type Site = {
  tags: Readonly<Record<string, string>>
  kinds: readonly ContentKind[]
  readers: ContentReaders
  removals: Record<string, ContentRemoval | undefined>
  searchables: readonly Searchable[]
  digests: readonly DigestSource[]
  statistics: MergedStatistics
  personalData: readonly PersonalTable[]
  erasers: readonly Eraser[]
  paymentChecks: CounterCheck[]
  settings: Definitions
  settingChecks: SettingChecks
  probes: readonly Probe[]
  files: {
    isConfidential(ctx: Context, file: FileUse): Promise<boolean>
    isGone(ctx: Context, file: FileUse): Promise<boolean>
    on(ctx: Context): FileRoutesOptions
  }
  service<N extends keyof Services>(name: N): Services[N]
}

export type Module = {
  routes?(site: Site): readonly Routes[]
  /** Groups of operations in the API description, by name. */
  tags?: Readonly<Record<string, Placed & { about: string }>>
  outerRoutes?(site: Site): readonly Routes[]
  kinds?: readonly ContentKind[]
  removals?: Record<string, ContentRemoval>
  /** Ends of content other than `kinds`, and of what belongs to content. */
  endings?(kinds: readonly ContentKind[]): readonly Ending[]
  search?: Searchable & Placed
  /** Part of the weekly mail. */
  digest?: DigestSource & Placed
  statistics?: Statistics & Placed
  /** Tables of the personal data export (rights-9). `place` is the position in the export's index. */
  personalData?: Placed & { tables: readonly PersonalTable[] }
  /** Erases personal data outside public content (rights-2, rights-3). Must be idempotent. */
  erase?(tx: Tx, userId: number): Promise<unknown>
  counters?: readonly CounterCheck[]
  paymentChecks?: readonly CounterCheck[]
  moneyChecks?: readonly CounterCheck[]
  settings?: Definitions
  settingChecks?: SettingChecks
  tasks?(site: Site): readonly ((ctx: Context) => TaskList)[]
  schedules?: readonly Schedule[]
  /** Task groups with their own workers, so that an unresponsive mail server delays only mail. */
  pools?: readonly { concurrency: number; names: readonly string[] }[]
  leftovers?: readonly Leftover[]
  probes?: readonly Probe[]
  confidentialFiles?: Record<
    string,
    (ctx: Context, file: { raw: number | null }, viewerId: number) => Promise<boolean>
  >
  offers?: Partial<Services>
}
