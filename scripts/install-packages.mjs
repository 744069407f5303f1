/**
 * Installs missing Debian packages for tests: `node scripts/install-packages.mjs quick`. Does nothing on
 * other systems or without root.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BROWSER = { chromium: 'chromium' }
const POSTGRES = { '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15', pgbouncer: 'pgbouncer' }
const REDIS = { 'redis-server': 'redis-server' }
const PROGRAMS = {
  quick: { ...BROWSER, ...REDIS, openssl: 'openssl' },
  console: BROWSER,
  site: BROWSER,
  servers: { ...REDIS, ...POSTGRES, openssl: 'openssl' },
  databases: {
    ...POSTGRES,
    ...REDIS,
    patroni: 'patroni',
    etcd: 'etcd-server',
    haproxy: 'haproxy',
    ip: 'iproute2',
  },
  backup: { ...POSTGRES, age: 'age' },
  commands: {
    ...BROWSER,
    ...POSTGRES,
    openssl: 'openssl',
    caddy: 'caddy',
    nginx: 'nginx-light',
    promtool: 'prometheus',
    'systemd-analyze': 'systemd',
  },
  import: { mariadbd: 'mariadb-server', nginx: 'nginx-light', openssl: 'openssl', ...POSTGRES },
  mirror: { mariadbd: 'mariadb-server', ...POSTGRES },
  demo: {},
  large: {},
  chat: { ejabberdctl: 'ejabberd', openssl: 'openssl' },
  release: { ...BROWSER, ip: 'iproute2' },
  container: { buildah: 'buildah', podman: 'podman', runc: 'runc', debootstrap: 'debootstrap' },
}
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin']

export function installPackages(groups) {
  const chosen = groups.length > 0 ? groups : Object.keys(PROGRAMS)
  const packages = new Set(
    chosen
      .flatMap((group) => Object.entries(PROGRAMS[group] ?? {}))
      .filter(
        ([program]) =>
          !FOLDERS.some((folder) => existsSync(join(program.startsWith('/') ? '' : folder, program))),
      )
      .map(([, name]) => name),
  )
  if (packages.size === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log(`Installing ${[...packages].join(', ')}`)
  // Prevents apt from starting services, because the tests start them on other ports.
  const policy = '/usr/sbin/policy-rc.d'
  const hadPolicy = existsSync(policy)
  if (!hadPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const stdio = ['ignore', 'ignore', 'inherit']
  spawnSync('apt-get', ['update', '-qq'], { env, stdio })
  const options = ['install', '-y', '-qq', '--no-install-recommends']
  const { status } = spawnSync('apt-get', [...options, ...packages], { env, stdio })
  if (!hadPolicy) rmSync(policy, { force: true })
  if (status !== 0) throw new Error(`apt-get could not install ${[...packages].join(', ')}`)
}

if (import.meta.main ?? process.argv[1]?.endsWith('install-packages.mjs'))
  installPackages(process.argv.slice(2))
