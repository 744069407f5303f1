import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contentKinds, requireKinds } from '#platform/content.ts'
import { createWorld } from '#test/world.ts'
import { CONTENT_KINDS } from './content-kinds.ts'

test('a name, code or file use that two kinds claim ends the start', () => {
  const [first] = CONTENT_KINDS
  assert.ok(first)
  assert.throws(() => contentKinds([first, { ...first, code: 999 }]), /claim the type feeds/)
  assert.throws(() => contentKinds([first, { ...first, type: 'others' }]), /claim the code 2/)
})

test('a kind that routes are mounted on and nobody lists ends the start', async () => {
  const { ctx } = await createWorld()
  assert.doesNotThrow(() => requireKinds(ctx, CONTENT_KINDS))
  const withoutNews = CONTENT_KINDS.filter(({ type }) => type !== 'news')
  assert.throws(() => requireKinds(ctx, withoutNews), /news/)
})

test('a kind of content is known by name to its own module, and to three shared files at the most', () => {
  const files = globSync('src/**/*.ts').filter((file) => !/(\.test|tables)\.ts$/.test(file))
  for (const folder of ['music', 'questions', 'groups', 'news']) {
    const outside = files.filter((file) => !file.startsWith(`src/modules/${folder}/`))
    const aware = outside.filter((file) => readFileSync(file, 'utf8').includes(`#modules/${folder}/kinds.ts`))
    const routed = outside.filter((file) =>
      readFileSync(file, 'utf8').includes(`#modules/${folder}/routes.ts`),
    )
    const touched = new Set([...aware, ...routed])
    assert.ok(aware.length === 1 && touched.size <= 3, `${folder}: ${[...touched].join(', ')}`)
  }
})
