import { buildApp } from '#app'
import type { Context } from '#platform/context.ts'
import { type JobsConnection, runWaitingJobs } from '#platform/jobs.ts'
import { createMetrics } from '#platform/metrics.ts'
import { hashPassword } from '#platform/passwords.ts'
import { tasksOn } from '../../worker.ts'
import { gather, type Made, makeMusic, publish, wonder } from './areas.ts'
import { chanceOf } from './chance.ts'
import { type Community, converse, createMembers, introduce } from './community.ts'
import { openAlbum } from './pictures.ts'
import { spend, wait } from './queues.ts'
import { siteOn } from './site.ts'
import { type Mark, spreadInTime } from './spread.ts'
import { createStory } from './story.ts'

const DAYS = 42
const NO_LIMITS = { anonymous: 0, user: 0, sensitive: 0, files: 0, variants: 0 }

/** Tells the story of the small demo to an empty site, as its people would: through the API. Answers the number of requests. */
export async function tellStory(
  ctx: Context,
  connection: JobsConnection,
  options: { seed: number; password: string; progress: (share: number, what: string) => void },
): Promise<{ requests: number; people: number; feeds: number }> {
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
    const chance = chanceOf(options.seed)
    const story = createStory(chance.fork('hours'), DAYS)
    const album = openAlbum(chance.fork('pictures'))
    const marks: Mark[] = []
    const [{ now }] = await ctx.sql<[{ now: number }]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
    const apart = now - performance.now()
    const begun = now - story.minutes * 60_000
    marks.push({ written: now, happened: begun })
    const { root, members } = await createMembers(own, site, await hashPassword(options.password))
    const community: Community = {
      ctx: own,
      site,
      story,
      chance,
      root,
      members,
      topics: new Map(),
      feeds: [],
      photograph: async (person, scene) => site.upload(person, await album(scene), `${scene}.jpg`),
    }
    const made: Made = { articles: [], questions: [], groups: [], categories: new Map() }
    introduce(community)
    converse(community)
    publish(community, made)
    makeMusic(community)
    gather(community, made)
    wonder(community, made)
    spend(community)
    wait(community, made)
    await story.tell((minute, done, total) => {
      // Marks rise strictly, so that every moment lies after exactly one of them.
      const written = Math.max(performance.now() + apart, marks.at(-1)!.written + 0.002)
      marks.push({ written, happened: begun + minute * 60_000 })
      options.progress(done / total, 'telling six weeks')
    })
    options.progress(1, 'spreading them in time')
    await runWaitingJobs(connection, tasksOn(own))
    marks.push({ written: performance.now() + apart, happened: begun + (story.minutes - 4) * 60_000 })
    await spreadInTime(ctx.sql, marks)
    return { requests: site.requests, people: members.length + 1, feeds: community.feeds.length }
  } finally {
    await app.close()
    for (const work of own.onClose) await work()
  }
}
