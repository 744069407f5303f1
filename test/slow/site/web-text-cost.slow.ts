/**
 * Reads 500 generated texts through the API into pages, and bounds what they may cost by counting the elements
 * that they become. A text without a bound on its cost would exceed the test timeout.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseText } from '#lib/markup/parse.ts'
import { visit } from '#lib/markup/tree.ts'
import { HOSTILE_TOKENS } from '#test/fixtures/hostile-texts.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

const TEXTS = 500
const LENGTH = 49_000
const ELEMENTS_MAX = 30_000

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { app, as, person } = world
const { ask, answer } = questionsOf(world)
const ann = await person()
const question = await ask(ann)
const id = await answer(ann, question)

test('shows 500 hostile texts on pages with a bounded number of elements', async () => {
  const units = fc.sample(
    fc
      .array(fc.constantFrom(...HOSTILE_TOKENS), { minLength: 1, maxLength: 4 })
      .map((tokens) => tokens.join('')),
    { numRuns: TEXTS, seed: 51 },
  )
  let shown = 0
  for (const unit of ['*_x', '_a_', '>', '- ', '1. ', ...units]) {
    const body = `x${unit.repeat(Math.floor(LENGTH / unit.length))}`
    const sent = await as(ann, 'PATCH', `/question-answers/${id}`, { body })
    assert.equal(sent.status, 201, `${JSON.stringify(unit)}: ${JSON.stringify(sent.body)}`)
    const page = await app.inject({
      method: 'GET',
      url: `/question-answers/${id}`,
      headers: { accept: 'text/html' },
    })
    assert.equal(page.statusCode, 200, JSON.stringify(unit))
    const elements = page.body.match(/<[a-z]/g)?.length ?? 0
    assert.ok(elements < ELEMENTS_MAX, `${elements} elements for ${JSON.stringify(unit)}`)
    let nodes = 0
    visit(parseText(body, 'markdown'), () => (nodes += 1))
    assert.ok(nodes <= 20_000, `${nodes} nodes for ${JSON.stringify(unit)}`)
    shown += 1
  }
  assert.equal(shown, TEXTS + 5)
})
