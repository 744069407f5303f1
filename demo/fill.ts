import { buildApp } from '#app'
import { createUser, hashPassword } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type DatabaseAddress, transaction } from '#platform/database'
import { addJob, runWaitingJobs } from '#platform/jobs'
import { createMetrics } from '#platform/observability'
import { allTasks } from '../src/worker.ts'
import { gather, type Made, makeMusic, publish, wonder } from './areas.ts'
import { chanceOf } from './chance.ts'
import { type Community, converse, createMembers, introduce } from './community.ts'
import { type CrowdSize, writeCrowd } from './crowd.ts'
import { drawEmblem, openAlbum } from './pictures/photographs.ts'
import { drawPortrait } from './pictures/portraits.ts'
import { spend, wait } from './queues.ts'
import { siteOn } from './site.ts'
import { playTune } from './sounds.ts'
import { type Mark, spreadInTime } from './spread.ts'
import { createStory, type Story } from './story.ts'
import { plead, trade } from './trade.ts'
import { tellViews, tellVisits } from './visits.ts'

const DAYS = 42
type Progress = (share: number, what: string) => void

const NO_LIMITS = { anonymous: 0, user: 0, sensitive: 0, files: 0, variants: 0 }

export function plan(community: Community): void {
  const made: Made = {
    articles: [],
    questions: [],
    groups: [],
    categories: new Map(),
    questionTopics: [],
    tags: [],
  }
  introduce(community)
  converse(community)
  publish(community, made)
  makeMusic(community)
  gather(community, made)
  wonder(community, made)
  spend(community)
  wait(community, made)
  trade(community, made)
  plead(community, made)
}

type Told = { requests: number; feeds: number; members: number[]; marks: Mark[] }

async function tell(
  ctx: Context,
  connection: DatabaseAddress,
  story: Story,
  { seed, password, progress }: { seed: number; password: string; progress: Progress },
): Promise<Told> {
  const own: Context = {
    ...ctx,
    config: { ...ctx.config, rateLimits: { ...ctx.config.rateLimits, ...NO_LIMITS } },
    metrics: createMetrics(),
    onClose: [],
  }
  const app = await buildApp(own)
  await app.ready()
  try {
    const site = siteOn(app, own)
    const chance = chanceOf(seed)
    const album = openAlbum(chance.fork('pictures'))
    const marks: Mark[] = []
    const [{ now }] = await ctx.sql<[{ now: number }]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
    const apart = now - performance.now()
    const begun = now - story.minutes * 60_000
    marks.push({ written: now, happened: begun })
    const { root, members } = await createMembers(own, site, await hashPassword(password))
    const community: Community = {
      draw: { portrait: drawPortrait, emblem: drawEmblem, tune: playTune },
      apply: (person) =>
        transaction(ctx.sql, (tx) => createUser(tx, { ...person, password: null, roles: ['owner'] })),
      site,
      story,
      chance,
      root,
      members,
      topics: new Map(),
      feeds: [],
      photograph: async (person, scene) => site.upload(person, await album(scene), `${scene}.jpg`),
    }
    plan(community)
    await story.tell((minute, done, total) => {
      // Keeps write times strictly ascending, so that each timestamp maps to one time in the demo.
      const written = Math.max(performance.now() + apart, marks.at(-1)!.written + 0.002)
      marks.push({ written, happened: begun + minute * 60_000 })
      progress(done / total, 'creating six weeks of activity')
    })
    progress(1, 'setting timestamps')
    await runWaitingJobs(connection, allTasks(own))
    marks.push({ written: performance.now() + apart, happened: begun + (story.minutes - 4) * 60_000 })
    const ids = members.map(({ id }) => id)
    await tellViews(own, chance.fork('views'), ids)
    return { requests: site.requests, feeds: community.feeds.length, members: ids, marks }
  } finally {
    await app.close()
    for (const work of own.onClose) await work()
  }
}

export async function tellStory(
  ctx: Context,
  connection: DatabaseAddress,
  options: {
    seed: number
    password: string
    crowd?: CrowdSize | undefined
    progress: Progress
  },
): Promise<{ requests: number; people: number; feeds: number }> {
  const { crowd: size, progress } = options
  const chance = chanceOf(options.seed)
  const story = createStory(chance.fork('hours'), DAYS)
  const until = new Date(Date.now() - story.minutes * 60_000 - 6 * 3_600_000)
  const crowd = size && (await writeCrowd(ctx.sql, chance.fork('crowd'), size, until, progress))
  const { requests, feeds, members, marks } = await tell(ctx, connection, story, options)
  await spreadInTime(ctx.sql, marks)
  progress(1, 'computing daily statistics')
  await tellVisits(ctx.sql, chance.fork('visits'), { members, days: DAYS, crowd })
  await addJob(ctx.sql, 'sum_statistics', {})
  await runWaitingJobs(connection, allTasks(ctx))
  return { requests, people: members.length + 1, feeds }
}
