/**
 * Makes the files of a release from a commit: archives, SDK, documentation, bill of materials, notices and checksums. Two
 * runs give equal bytes.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSection } from './release-notes.ts'
import { INVENTORY, listParts, renderNotices, renderSbom } from './release-inventory.ts'

/** Platforms with an archive that contains its dependencies, with the settings of npm that choose their packages. */
export const PLATFORMS = {
  'linux-x64': { npm_config_os: 'linux', npm_config_cpu: 'x64', npm_config_libc: 'glibc' },
  'linux-arm64': { npm_config_os: 'linux', npm_config_cpu: 'arm64', npm_config_libc: 'glibc' },
  'darwin-x64': { npm_config_os: 'darwin', npm_config_cpu: 'x64' },
  'darwin-arm64': { npm_config_os: 'darwin', npm_config_cpu: 'arm64' },
} as const
export type Platform = keyof typeof PLATFORMS

/** Parts of the repository that no server needs. */
const LEFT_OUT = ['.ci', '.github', 'bench', 'console', 'sdk', 'site', 'test', 'web']
const BUILT = ['web/dist', 'console/dist']

function run(command: string, args: string[], { cwd = '.', env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim().slice(-2000)}`)
  return stdout.trim()
}
const npm = (args: string[], cwd: string) => run('npm', [...args, '--loglevel=error'], { cwd })

const checksumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Packs `folder`/`name` so that the bytes depend on the contents alone. */
function pack(archive: string, { folder, name, time }: { folder: string; name: string; time: string }): void {
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${time}`, '--format=gnu']
  const modes = '--mode=u+rwX,go+rX,go-w'
  run('tar', [...plain, modes, '--use-compress-program=gzip -n -9', '-cf', resolve(archive), '-C', folder, name])
}

function exportTree(commit: string, folder: string, without: readonly string[] = []): void {
  mkdirSync(folder, { recursive: true })
  const tar = `${folder}.tar`
  run('git', ['archive', `--output=${tar}`, commit, '--', '.', ...without.map((path) => `:(exclude)${path}`)])
  run('tar', ['xf', tar, '-C', folder])
  rmSync(tar)
}

/** Installs what a server of the platform runs, without scripts of packages and without addresses of a registry. */
function installFor(platform: Platform, folder: string): void {
  run(process.execPath, ['scripts/prepare.mjs', folder], {
    env: {
      ...PLATFORMS[platform],
      npm_lifecycle_event: 'prestart',
      npm_config_ignore_scripts: 'true',
      NODE_ENV: 'production',
    },
  })
  const lock = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json'), 'utf8')).digest('hex')
  writeFileSync(join(folder, 'node_modules/.kith-install'), [lock, ...platform.split('-')].join(' '))
  rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true })
}

/**
 * Makes the files of the release `version` from `commit` in `out`, and returns their names. `platforms` limits the archives
 * with dependencies.
 */
export function makeArtifacts({
  commit,
  version,
  out,
  platforms = Object.keys(PLATFORMS) as Platform[],
}: {
  commit: string
  version: string
  out: string
  platforms?: readonly Platform[]
}): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kith-release-'))
  const time = run('git', ['log', '-1', '--format=%cI', commit])
  const name = `kith-${version}`
  try {
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out, { recursive: true })
    const whole = join(folder, 'whole')
    exportTree(commit, whole)
    run(process.execPath, ['scripts/build-packages.mjs', 'web', 'console'], { cwd: whole })

    npm(['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], join(whole, 'sdk'))
    npm(['pack', '--pack-destination', resolve(out)], join(whole, 'sdk'))
    npm(['run', '--silent', 'site'], whole)
    renameSync(join(whole, 'site/dist'), join(folder, `${name}-docs`))
    pack(join(out, `${name}-docs.tar.gz`), { folder, name: `${name}-docs`, time })

    const base = join(folder, 'base')
    exportTree(commit, base, LEFT_OUT)
    for (const built of BUILT) cpSync(join(whole, built), join(base, built), { recursive: true })
    const archives: [suffix: string, platform?: Platform][] = [['']]
    for (const platform of platforms) archives.push([`-${platform}`, platform])
    for (const [suffix, platform] of archives) {
      const tree = join(folder, name)
      cpSync(base, tree, { recursive: true, verbatimSymlinks: true })
      if (platform) installFor(platform, tree)
      const parts = listParts(tree)
      const notices = renderNotices(parts)
      const sbom = renderSbom({ version, time: new Date(time).toISOString(), parts })
      writeFileSync(join(tree, INVENTORY.notices), notices)
      writeFileSync(join(tree, INVENTORY.sbom), sbom)
      if (platform) writeFileSync(join(out, `${name}${suffix}.cdx.json`), sbom)
      pack(join(out, `${name}${suffix}.tar.gz`), { folder, name, time })
      rmSync(tree, { recursive: true, force: true })
    }
    writeFileSync(join(out, 'NOTES.md'), `${readSection(readFileSync('CHANGELOG.md', 'utf8'), version)}\n`)
    const names = readdirSync(out).sort()
    writeFileSync(
      join(out, 'SHA256SUMS'),
      names.map((each) => `${checksumOf(join(out, each))}  ${each}\n`).join(''),
    )
    return [...names, 'SHA256SUMS']
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
