import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const PAGE = 'docs/decisions/0020-triggers.md'
const { sql } = await createWorld()

/** Patterns of the tables and columns that functions of each kind may write. */
const WRITES: Record<string, RegExp> = {
  refuses: /^$/,
  version: /^\w+\.\w*version$/,
  completes: /^(new\.start_position|audit_links\.\*)$/,
  counts: /^user_counts\.friends_count$/,
}

type Trigger = { name: string; table: string; bodies: string[] }

/** Triggers with the body of their function and of the project's functions that it calls. */
const triggers = await sql<Trigger[]>`
  select t.tgname as name, t.tgrelid::regclass::text as table,
    array(
      select called.prosrc from pg_proc called
      where called.pronamespace = 'public'::regnamespace
        and (called.oid = f.oid or f.prosrc ~ ('\\m' || called.proname || '\\M'))
    ) as bodies
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc f on f.oid = t.tgfoid
  where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
  order by 2, 1`

const listed = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` on `(\w+)` \| (\w+) \| (.+) \|$/gm)].map(
  ([, name = '', table = '', kind = '', reason = '']) => ({ name, table, kind, reason }),
)

/** Lists what a function writes: columns of its updates, tables of its inserts, and columns of the row itself. */
function writesOf(body: string): string[] {
  return [
    ...[...body.matchAll(/\bupdate (\w+)(?: \w+)?\s+set (\w+) = /g)].map(
      ([, table, column]) => `${table}.${column}`,
    ),
    ...[...body.matchAll(/\b(?:insert into|delete from) (\w+)/g)].map(([, table]) => `${table}.*`),
    ...[...body.matchAll(/\bnew\.(\w+) :=/g)].map(([, column]) => `new.${column}`),
  ]
}

test('lists every trigger of the migrated database with its reason', () => {
  const nameOf = ({ name, table }: { name: string; table: string }) => `\`${name}\` on \`${table}\``
  assert.deepEqual(listed.map(nameOf).sort(), triggers.map(nameOf).sort(), PAGE)
  assert.ok(triggers.length > 10, `saw only ${triggers.length} triggers`)
})

test('lets triggers write only what their kind may write', () => {
  for (const { name, bodies } of triggers) {
    const { kind = '' } = listed.find((each) => each.name === name) ?? {}
    const writes = bodies.flatMap(writesOf)
    assert.ok(kind in WRITES, `${name} has the kind ${kind}`)
    assert.equal(kind === 'refuses', writes.length === 0, `${name} writes ${writes}`)
    for (const each of writes) assert.match(each, WRITES[kind] as RegExp, `${name}, which ${kind}`)
    for (const body of bodies)
      assert.doesNotMatch(
        body,
        /pg_notify|\bnotify\b|add_jobs?\(|current_setting/,
        `${name} has side effects`,
      )
  }
})

test('protects rows with a trigger of the kind `refuses` only by an exception', () => {
  for (const { name } of listed.filter(({ kind }) => kind === 'refuses'))
    assert.match(triggers.find((each) => each.name === name)?.bodies.join() ?? '', /raise exception/, name)
})
