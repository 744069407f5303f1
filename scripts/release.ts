/**
 * Makes releases:
 *
 *   npm run release -- 1.2.0      writes the version and the changelog, commits and tags
 *   npm run release               makes the files of the commit in `release/`
 *   npm run release -- --check    starts, fills and upgrades a site from these files, without a network
 *
 * `--dry-run` before a version prints the section of the changelog. `--platforms=linux-x64,darwin-arm64` limits the
 * archives. `--out=FOLDER` names another folder. `--data=FOLDER` and `--backup=FILE` name sites of earlier versions that
 * the check upgrades too.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '#platform/version.ts'
import { makeArtifacts, PLATFORMS, type Platform } from './release-artifacts.ts'
import { checkRelease } from './release-check.ts'
import { Refusal, releaseVersion } from './release-version.ts'

function platformsOf(list: string | undefined): Platform[] {
  const names = list?.split(',') ?? Object.keys(PLATFORMS)
  for (const name of names)
    if (!(name in PLATFORMS)) throw new Refusal(`${name} is none of ${Object.keys(PLATFORMS).join(', ')}.`)
  return names as Platform[]
}

function make(out: string, platforms: Platform[]): void {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' })
  if (status !== 0)
    throw new Refusal('This is no clone of the repository, so that no commit names its contents.')
  if (stdout !== '') throw new Refusal('The tree is dirty: commit or put away what `git status` lists first.')
  for (const name of makeArtifacts({ commit: 'HEAD', version: VERSION, out, platforms }))
    console.log(`${name.padEnd(40)}${(statSync(join(out, name)).size / 1e6).toFixed(1).padStart(8)} MB`)
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      backup: { type: 'string', multiple: true, default: [] },
      check: { type: 'boolean', default: false },
      data: { type: 'string', multiple: true, default: [] },
      'dry-run': { type: 'boolean', default: false },
      out: { type: 'string', default: 'release' },
      platforms: { type: 'string' },
    },
  })
  if (values.check) await checkRelease(values)
  else if (positionals.length > 0 || values['dry-run']) releaseVersion(positionals[0], values['dry-run'])
  else make(values.out, platformsOf(values.platforms))
} catch (error) {
  const isUsage =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = isUsage || error instanceof Refusal ? 2 : 1
}
