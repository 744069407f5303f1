import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardsOf, without } from './guards.ts'

const changed = (kind: string, source: string) =>
  guardsOf('src/example.ts', source)
    .filter((guard) => guard.kind === kind)
    .map((guard) => without(source, guard))

test('drops each condition after `and`', () => {
  const source =
    'sql`select from t where a = 1 and b in (select 1) and c between 2 and 3 order by id limit 1`'
  assert.deepEqual(changed('predicate', source), [
    'sql`select from t where a = 1 and true and c between 2 and 3 order by id limit 1`',
    'sql`select from t where a = 1 and b in (select 1) and true order by id limit 1`',
  ])
})

test('mutates comparisons but no assignments', () => {
  assert.deepEqual(changed('compare', 'sql`update t set a = 1, b = 2 where c = 3 and d < 4 and e < now()`'), [
    'sql`update t set a = 1, b = 2 where c <> 3 and d < 4 and e < now()`',
    'sql`update t set a = 1, b = 2 where c = 3 and d <= 4 and e < now()`',
  ])
  assert.deepEqual(changed('compare', 'const f = (n: Array<number>) => n.length > 5'), [
    'const f = (n: Array<number>) => n.length >= 5',
  ])
})

test('reverses sort orders except in locking reads', () => {
  assert.deepEqual(changed('order', 'sql`select from t order by a desc, id limit 5`'), [
    'sql`select from t order by a, id limit 5`',
  ])
  assert.deepEqual(changed('order', 'sql`select from t order by id limit 5`'), [
    'sql`select from t order by id desc limit 5`',
  ])
  assert.deepEqual(changed('order', 'sql`select from t order by id for update`'), [])
})

test('raises the bounds of a schema by one', () => {
  assert.deepEqual(changed('bound', 'const a = Int(1, 1_000), b = Text(20, { minLength: 2 })'), [
    'const a = Int(2, 1_000), b = Text(20, { minLength: 2 })',
    'const a = Int(1, 1001), b = Text(20, { minLength: 2 })',
    'const a = Int(1, 1_000), b = Text(21, { minLength: 2 })',
    'const a = Int(1, 1_000), b = Text(20, { minLength: 3 })',
  ])
})

test('drops conflict clauses', () => {
  assert.deepEqual(changed('conflict', 'sql`insert into t values (1) on conflict do nothing returning id`'), [
    'sql`insert into t values (1)  returning id`',
  ])
})

test('mutates no strings, comments or untagged templates', () => {
  const source = `// a and b = 1
const a = 'x < 5', b = \`y and z > 3\`, c = /'\`/, d = sql\`select \${e > 1 ? sql\`1\` : 2}\``
  assert.deepEqual(changed('predicate', source), [])
  assert.deepEqual(changed('compare', source), [source.replace('e > 1', 'e >= 1')])
})
