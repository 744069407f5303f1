import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { type Content, type ContentKind, contentKinds, requireMountedKinds } from '#contracts/content.ts'
import { mountPinning, pinsOfContent } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import { createWorld } from '#test/world.ts'
import { LAYERS } from './modules.ts'
import { SITE } from './site.ts'

const CONTENT_KINDS = SITE.kinds

test('fails to start when two kinds of content share a name or code', () => {
  const [first] = CONTENT_KINDS
  assert.ok(first)
  assert.throws(() => contentKinds([first, { ...first, code: 999 }]), /claim the type feeds/)
  assert.throws(() => contentKinds([first, { ...first, type: 'others' }]), /claim the code 2/)
})

test('fails to start when routes are mounted on an undeclared kind of content', async () => {
  const { ctx } = await createWorld()
  assert.doesNotThrow(() => requireMountedKinds(ctx, CONTENT_KINDS))
  const withoutNews = CONTENT_KINDS.filter(({ type }) => type !== 'news')
  assert.throws(() => requireMountedKinds(ctx, withoutNews), /news/)
})

test('fails to start when rewards, reports or pins are mounted on an unregistered kind', async () => {
  const contentOf = (type: string): Content => ({
    type,
    param: 'thing',
    noun: type,
    tag: 'Feeds',
    find: async () => undefined,
    live: (sql) => sql`select 1 as id`,
  })
  const types = ['rewarded', 'reported', 'pinned']
  const { ctx } = await createWorld(
    {},
    {
      routes(server, context) {
        mountRewards(server, context, contentOf('rewarded'), { create: '/rewarded/:thing', notice: 'reward' })
        mountReports(server, context, contentOf('reported'), { path: '/reported/:thing' })
        const pins = pinsOfContent(contentOf('pinned'), { channel: 'pinned', noticeOf: () => 'pinned:feeds' })
        mountPinning(server, context, pins)
      },
    },
  )
  for (const type of types) {
    const others = types.filter((other) => other !== type).map((other) => ({ type: other }) as ContentKind)
    assert.throws(
      () => requireMountedKinds(ctx, [...CONTENT_KINDS, ...others]),
      new RegExp(`mounted on ${type}`),
    )
  }
})

test('lists each content module once in modules.ts and imports none in src/*.ts', () => {
  const files = globSync('src/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const shared = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^import type/.test(line))
      .map((line) => ({ file, line })),
  )
  for (const name of ['music', 'questions', 'groups', 'news']) {
    const listed = shared.filter(({ file, line }) => file === 'src/modules.ts' && line.includes(`'${name}'`))
    const imported = shared.filter(({ line }) => line.includes(`#modules/${name}/`))
    assert.deepEqual([listed.length, imported], [1, []], name)
  }
})

test('lists every module folder exactly once', () => {
  const folders = globSync('src/modules/*/').map((path) => basename(path))
  assert.deepEqual(LAYERS.flatMap(({ modules }) => modules).toSorted(), folders.toSorted())
  for (const folder of folders) assert.ok(existsSync(`src/modules/${folder}/module.ts`), folder)
})
