import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createWorld } from '#test/world.ts'

type Schema = { [name: string]: unknown }
type Content = Record<string, { schema: Schema; examples?: { example?: { value: unknown } } }>
type Operation = {
  deprecated?: boolean
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

const { app } = await createWorld()
const { paths, components } = app.swagger() as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema & { examples?: unknown[] }> }
}
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'kith', components })
const check = (schema: Schema, value: unknown, name: string) => {
  const { examples: _, ...own } = schema
  ajv.validate(JSON.parse(JSON.stringify(own).replaceAll('"#/', '"kith#/')), value)
  assert.equal(ajv.errorsText(ajv.errors), 'No errors', name)
}

test('gives every operation that is not deprecated valid examples of its JSON body and successful responses', () => {
  let seen = 0
  for (const [path, operations] of Object.entries(paths))
    for (const [verb, { deprecated, requestBody, responses }] of Object.entries(operations)) {
      if (deprecated) continue
      const succeeded = Object.entries(responses).filter(([status]) => Number(status) < 300)
      for (const [what, content] of [
        ['body', requestBody?.content] as const,
        ...succeeded.map(([status, { content }]) => [status, content] as const),
      ]) {
        const json = content?.['application/json']
        if (!json) continue
        seen += 1
        const name = `${verb.toUpperCase()} ${path} ${what}`
        const value = json.examples?.example?.value
        assert.notEqual(value, undefined, `${name} has no example: run \`npm run dev -- examples\``)
        check(json.schema, value, name)
      }
    }
  assert.ok(seen > 500, `saw only ${seen}`)
})

test('gives every shared schema a valid example', () => {
  for (const [name, schema] of Object.entries(components.schemas)) {
    assert.equal(schema.examples?.length, 1, `${name} has no example: run \`npm run dev -- examples\``)
    check(schema, schema.examples?.[0], name)
  }
})

test('keeps examples out of the committed description', () => {
  assert.doesNotMatch(readFileSync('openapi.json', 'utf8'), /"examples":/)
})
