import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, test } from 'node:test'
import { seedForClients } from '#test/clients/seed.ts'
import { createWorld, type Person } from '#test/world.ts'

type Entry = {
  name: string
  as: 'guest' | 'reader' | 'writer'
  request: string
  status: number
  body?: Record<string, unknown>
  /** Field paths. `!` rejects null, and `[]` means every item. `=` compares the value, and `~` matches a pattern. */
  reads?: string[]
}

const world = await createWorld()
const { as, guest } = world
const seed = await seedForClients(world)

const fill = (text: string) =>
  text.replace(/\{([\w.]+)\}/g, (_, name: string) => {
    const value = seed.values[name]
    assert.notEqual(value, undefined, `the seed has no ${name}`)
    return String(typeof value === 'function' ? value() : value)
  })

function valuesAt(value: unknown, steps: string[], where: string): unknown[] {
  const [step, ...rest] = steps
  if (step === undefined) return [value]
  if (step === '[]') {
    assert.ok(Array.isArray(value), `${where} is no list`)
    return rest.length === 0 ? [value] : value.flatMap((item) => valuesAt(item, rest, where))
  }
  assert.ok(typeof value === 'object' && value !== null && step in value, `${where}: no ${step}`)
  return valuesAt((value as Record<string, unknown>)[step], rest, where)
}

function check(body: unknown, read: string): void {
  const [, place = '', needed, operator, wanted] = /^(.*?)(!?)(?: ([=~]) (.*))?$/.exec(read) ?? []
  const steps = place
    .split('.')
    .flatMap((step) => step.split(/(?=\[\])/))
    .filter((step) => step !== '')
  const found = valuesAt(body, steps, place)
  assert.ok(found.length > 0, `${place}: the list is empty, so nothing was proven`)
  for (const value of found) {
    if (needed) assert.ok(value !== null && value !== undefined, `${place} is ${value}`)
    if (operator === '=') assert.equal(String(value), wanted, place)
    if (operator === '~') assert.match(String(value), new RegExp(wanted!), place)
  }
}

for (const file of globSync('test/clients/*.json').sort()) {
  const entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[]
  describe(`returns every field that the client ${basename(file, '.json')} reads (conventions-30, feeds-39, music-14)`, () => {
    for (const entry of entries)
      test(entry.name, async () => {
        const [method, path] = fill(entry.request).split(' ') as ['GET', string]
        const body = entry.body && JSON.parse(fill(JSON.stringify(entry.body)))
        const who = entry.as === 'guest' ? undefined : (seed[entry.as] as Person)
        const answer = await (who ? as(who, method, path, body) : guest(method, path, body))
        assert.equal(answer.status, entry.status, JSON.stringify(answer.body))
        for (const read of entry.reads ?? []) check(answer.body, read)
      })
  })
}
