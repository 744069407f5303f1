/**
 * Writes src/generated/tables.ts from a database with all migrations. With --check, fails when the committed
 * copy differs.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { type Generator, makePgTsGenerator, processDatabase } from 'kanel'
import { requireRuntime } from '#platform/runtime.ts'
import { globalSetup, globalTeardown } from '#test/setup.ts'

requireRuntime()
const FILE = new URL('../src/generated/tables.ts', import.meta.url)
const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'unknown',
  jsonb: 'unknown',
  numeric: 'string',
  point: 'string',
  text: 'string',
  timestamptz: 'string',
  uuid: 'string',
}

function typeOf(column: string, type: string): string {
  const known = TYPES[type.replace('pg_catalog.', '')]
  if (!known) throw new Error(`${column} is of a type that scripts/tables.ts does not know: ${type}`)
  return known
}

/** Marks the row types, so that `render` skips kanel's insert and update types. */
const PREFIX = 'row of '

type Output = Awaited<ReturnType<Generator>>

function render(output: Output): string {
  const lines = [
    '// Written by `npm run dev -- tables` from the migrated database. Not to be edited by hand.',
    '',
    '/** Row type of each table. */',
    'export type Tables = {',
  ]
  const rows = Object.values(output)
    .flatMap((file) => ('declarations' in file ? file.declarations : []))
    .filter((declaration) => declaration.declarationType === 'interface')
    .filter(({ name }) => name.startsWith(PREFIX))
    .map(({ name, properties }) => ({ table: name.slice(PREFIX.length), properties }))
    .sort((a, b) => (a.table < b.table ? -1 : 1))
  for (const { table, properties } of rows) {
    lines.push(`  ${table}: {`)
    for (const { name, typeName, dimensions, isNullable } of properties)
      lines.push(
        `    ${name}: ${typeName}${'[]'.repeat(dimensions)}${isNullable && typeName !== 'unknown' ? ' | null' : ''}`,
      )
    lines.push('  }')
  }
  lines.push(
    '}',
    '',
    '/** Some columns of a table, as a query gives them. */',
    'export type Row<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>',
    '',
  )
  return lines.join('\n')
}

let text = ''
try {
  await globalSetup()
  await processDatabase({
    connection: { ...JSON.parse(process.env.KITH_TEST_DATABASE ?? ''), database: 'kith_template' },
    schemaNames: ['public'],
    // Skips functions, because kanel warns of their return type `jsonb`.
    filter: ({ kind }) => kind === 'table',
    generators: [
      makePgTsGenerator({
        customTypeMap: { 'pg_catalog.bytea': 'Buffer' },
        getMetadata: ({ name }, use) => ({
          name: `${use === 'selector' ? PREFIX : `${use} of `}${name}`,
          comment: undefined,
          path: 'tables',
        }),
        getPropertyMetadata: (column, table, _use, known) => ({
          ...known,
          typeOverride: typeOf(`${table.name}.${column.name}`, column.type.fullName),
        }),
      }),
    ],
    preRenderHooks: [
      (output: Output) => {
        text = render(output)
        return {}
      },
    ],
  })
} finally {
  await globalTeardown()
}
if (process.argv.includes('--check')) {
  if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
    console.error('src/generated/tables.ts is not what the migrations say: run `npm run dev -- tables`.')
    process.exit(1)
  }
} else await writeFile(FILE, text)
