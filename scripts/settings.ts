/**
 * Writes docs/settings.md from the settings of all modules. With --check, fails when the committed copy differs.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { SECRETS } from '#platform/config/secret-files.ts'
import { SITE } from '../src/site.ts'

const FILE = new URL('../docs/settings.md', import.meta.url)

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  items?: Schema
  description?: string
  'x-unit'?: string
}

const unitOf = (schema: Schema) => (schema['x-unit'] ? ` in ${schema['x-unit']}` : '')

function valuesOf(schema: Schema): string {
  const types = [schema.type ?? []].flat()
  const orNull = types.includes('null') ? ' or null' : ''
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (types.includes('boolean')) return `true or false${orNull}`
  if (types.includes('integer')) return `${schema.minimum} to ${schema.maximum}${unitOf(schema)}${orNull}`
  if (types.includes('array'))
    return `a list of at most ${schema.maxItems}, each ${valuesOf(schema.items ?? {})}${unitOf(schema)}`
  return `${schema.pattern ? 'an http or https address' : 'text'} of at most ${schema.maxLength} characters${schema['x-unit'] ? `, amounts${unitOf(schema)}, separated by commas` : ''}${orNull}`
}

const rows = Object.entries(SITE.settings).map(([name, { schema, standard }]) => {
  const shown = schema as Schema
  return `| \`${name}\` | ${shown.description?.replaceAll('*', String.raw`\*`)} | ${valuesOf(shown)} | \`${JSON.stringify(standard)}\` |`
})
const text = `# Settings

Administrators change these settings at run time (\`PATCH /api/v2/admin/settings\`, ability \`admin:site:base\`; administration-8). A
change applies in every process within a second. \`npm run dev -- settings\` writes this page from \`settings.ts\` of each module, and
\`test/settings.test.ts\` proves that each setting has an effect.

| Setting | Effect | Values | Default |
|---|---|---|---|
${rows.join('\n')}

## Secrets from files

These environment variables ([running.md](running.md)) may come from a file. Add \`_FILE\` to the name and set it to the
path: \`APP_SECRET_FILE=/run/secrets/app-secret\`. The same applies to \`LINKED_…_CLIENT_SECRET\`.

${SECRETS.map((name) => `- \`${name}_FILE\``).join('\n')}
`

if (process.argv.includes('--check')) {
  if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
    console.error('docs/settings.md differs from the settings of the modules: run `npm run dev -- settings`.')
    process.exit(1)
  }
} else await writeFile(FILE, text)
