/**
 * Makes the files of a release from a commit: archives, SDK, documentation, container context, bills of materials,
 * notices and checksums. Two runs give equal bytes.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  describeLocks,
  INVENTORY,
  type Locked,
  listParts,
  renderNotices,
  renderSbom,
} from './release-inventory.ts'
import { readSection } from './release-notes.ts'

/** Platforms with an archive, with the settings of npm that choose their packages. */
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

function run(
  command: string,
  args: string[],
  { cwd = '.', env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', ...env },
    maxBuffer: 2 ** 28,
  })
  if (status !== 0)
    throw new Error(
      `${command} ${args.join(' ')} failed: ${error?.message ?? (stderr || stdout).trim().slice(-2000)}`,
    )
  return stdout.trim()
}

const checksumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Packs `name` of `folder` so that the bytes depend on the contents alone. Needs GNU tar. */
function pack(archive: string, { folder, name, time }: { folder: string; name: string; time: string }): void {
  const plain = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=${time}`,
    '--format=gnu',
  ]
  const modes = '--mode=u+rwX,go+rX,go-w'
  run('tar', [
    ...plain,
    modes,
    '--use-compress-program=gzip -n -9',
    '-cf',
    resolve(archive),
    '-C',
    folder,
    name,
  ])
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
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  writeFileSync(join(folder, 'node_modules/.kith-install'), [lock, ...platform.split('-')].join(' '))
  rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true })
}

/** Throws if a file names `folder`, in which the release is made, because another run would give other bytes. */
function refuseTraces(folder: string, tree: string): void {
  const { stdout } = spawnSync('grep', ['-rlF', folder, tree], { encoding: 'utf8' })
  if (stdout !== '')
    throw new Error(`Files name the folder of the build: ${stdout.split('\n').slice(0, 5).join(' ')}`)
}

type Job = { commit: string; version: string; out: string; platforms: readonly Platform[] }

/** Makes the files of the release `version` from `commit` in `out`, and returns their names. */
export function makeArtifacts({ commit, version, out, platforms }: Job): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kith-release-'))
  const time = new Date(run('git', ['log', '-1', '--format=%cI', commit])).toISOString()
  const name = `kith-${version}`
  const say = (line: string) => console.error(`release: ${line}`)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  try {
    const whole = join(folder, 'whole')
    exportTree(commit, whole)
    const locks = describeLocks(['.', 'web', 'console', 'site', 'sdk'].map((each) => join(whole, each)))
    say('building the site and the console')
    run(process.execPath, ['scripts/build-packages.mjs', 'web', 'console'], { cwd: whole })

    say('packing the SDK')
    const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    run('npm', ['ci', ...quiet], { cwd: join(whole, 'sdk') })
    run('npm', ['pack', '--loglevel=error', '--pack-destination', resolve(out)], { cwd: join(whole, 'sdk') })

    const addInventory = (tree: string) => describe(tree, { version, time, locks })
    say('building the documentation')
    run(process.execPath, ['scripts/dev.mjs', 'site'], { cwd: whole })
    const docs = join(folder, `${name}-docs`)
    renameSync(join(whole, 'site/dist'), docs)
    addInventory(docs)
    refuseTraces(folder, docs)
    pack(join(out, `${name}-docs.tar.gz`), { folder, name: `${name}-docs`, time })

    const base = join(folder, 'base')
    exportTree(commit, base, LEFT_OUT)
    for (const built of BUILT) cpSync(join(whole, built), join(base, built), { recursive: true })
    refuseTraces(folder, base)

    const context = join(folder, 'context')
    cpSync(base, context, { recursive: true })
    copyFileSync(join(base, 'deploy/docker/Dockerfile'), join(context, 'Dockerfile'))
    addInventory(context)
    pack(join(out, `${name}-container.tar.gz`), { folder: context, name: '.', time })

    for (const platform of platforms) {
      say(`packing for ${platform}`)
      const tree = join(folder, name)
      cpSync(base, tree, { recursive: true })
      installFor(platform, tree)
      const { sbom, notices } = addInventory(tree)
      refuseTraces(folder, tree)
      writeFileSync(join(out, `${name}-${platform}.cdx.json`), sbom)
      writeFileSync(join(out, `${name}-${platform}-${INVENTORY.notices}`), notices)
      pack(join(out, `${name}-${platform}.tar.gz`), { folder, name, time })
      rmSync(tree, { recursive: true, force: true })
    }
    writeFileSync(
      join(out, 'NOTES.md'),
      `${readSection(readFileSync(join(base, 'CHANGELOG.md'), 'utf8'), version)}\n`,
    )
    const names = readdirSync(out).sort()
    const sums = names.map((each) => `${checksumOf(join(out, each))}  ${each}\n`)
    writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
    return [...names, 'SHA256SUMS']
  } finally {
    // The folder has tens of thousands of files, which this is faster for than Node.
    run('rm', ['-rf', folder])
  }
}

/** Writes the notices and the bill of materials of the tree into it. */
function describe(tree: string, { version, time, locks }: { version: string; time: string; locks: Locked }) {
  const parts = listParts(tree)
  const notices = renderNotices(parts)
  const sbom = renderSbom({ version, time, parts, locks })
  writeFileSync(join(tree, INVENTORY.notices), notices)
  writeFileSync(join(tree, INVENTORY.sbom), sbom)
  return { notices, sbom }
}
