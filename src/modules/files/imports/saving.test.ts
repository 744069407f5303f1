import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { saveFiles, type WantedFile } from '#modules/files/index.ts'
import { flatPicture, wav } from '#test/fixtures/media.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld({ MAX_UPLOAD_BYTES: '300000' })
const folder = await mkdtemp(join(tmpdir(), 'kith-lines-'))
after(() => rm(folder, { recursive: true, force: true }))

test('reports one error per import line with an unusable file', async () => {
  const picture = await flatPicture(20, 10).png().toBuffer()
  await mkdir(join(folder, 'within/deep'), { recursive: true })
  await writeFile(join(folder, 'outside.png'), picture)
  await writeFile(join(folder, 'within/deep/inside.png'), picture)
  await writeFile(join(folder, 'within/page.png'), '<!doctype html>')
  await writeFile(join(folder, 'within/large.wav'), Buffer.concat([wav(), Buffer.alloc(300_000)]))
  const lines: [paths: string[], fault: RegExp | undefined][] = [
    [['deep/inside.png'], undefined],
    [['deep\\inside.png', './deep/../deep/inside.png'], undefined],
    [['../outside.png'], /^\.\.\/outside\.png: the path is outside the folder/],
    [['deep/../../outside.png'], /is outside the folder of files/],
    [[join(folder, 'outside.png')], /is outside the folder of files/],
    [['C:\\outside.png'], /is outside the folder of files/],
    [['none.png'], /: there is no such file$/],
    [['deep'], /: there is no such file$/],
    [['page.png'], /^page\.png: Only JPEG, PNG/],
    [['large.wav'], /: The file is too large\.$/],
    [['none.png', 'page.png', 'deep/inside.png'], /^none\.png: /],
  ]
  const wanted = lines.flatMap(([paths], number): WantedFile[] =>
    paths.map((path, at) => ({ number, field: `files/${at}`, path })),
  )
  const { saved, faults } = await saveFiles(world.ctx, join(folder, 'within'), wanted)
  assert.deepEqual(
    faults.map(({ number }) => number).sort((one, other) => one - other),
    lines.flatMap(([, expected], number) => (expected ? [number] : [])),
  )
  for (const [number, [paths, expected]] of lines.entries()) {
    const reason = faults.find((fault) => fault.number === number)?.reason
    if (expected) assert.match(String(reason), expected)
    else assert.equal(reason, undefined)
    for (const [at, path] of paths.entries())
      assert.equal(saved.of(number, `files/${at}`)?.size, expected ? undefined : '20x10', path)
  }
  const sound = await saveFiles(world.ctx, folder, [
    { number: 1, field: 'file', path: 'outside.png', kind: 'audio' },
  ])
  assert.deepEqual(sound.faults, [
    { number: 1, reason: 'outside.png: A file of this kind cannot be used here.' },
  ])
})
