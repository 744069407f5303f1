/** Licenses of packages whose code is part of a build or an archive. The builds of site, console and documents import it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LICENSE_FILE = /^(licen[cs]e|copying|copyright|notice|third[-_]party)/i

type Description = { name: string; version: string; license: string; text: string }

/**
 * Reads the name, version, license (an SPDX expression) and license text of the package in `folder`. A package without
 * a file of its license often has the text in its README.
 */
export function describePackage(folder: string): Description {
  const { name, version, license, licenses, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const stated =
    license ??
    licenses
      ?.map((each: { type?: string } | string) => (typeof each === 'string' ? each : each.type))
      .join(' OR ')
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort()
  const texts = files.filter((file) => LICENSE_FILE.test(file))
  const readme = files.find((file) => /^readme/i.test(file))
  const [, section] = (texts.length === 0 && readme
    ? /^#+ *licen[cs](?:e|ing)\b[^\n]*\n([\s\S]*?)(?=^#|(?![\s\S]))/im.exec(
        readFileSync(join(folder, readme), 'utf8'),
      )
    : null) ?? ['', '']
  const by = typeof author === 'string' ? author : author?.name
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return {
    name,
    version,
    license: typeof stated === 'string' ? stated : (stated?.type ?? 'NOASSERTION'),
    text: text || section.trim() || (by ? `Copyright ${by}` : ''),
  }
}

/** Returns the folders of the packages that contain the files in `paths`, without duplicates. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = paths.flatMap((path) => {
    const [folder] =
      /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\0', '').replaceAll('\\', '/')) ?? []
    return folder ? [folder] : []
  })
  return [...new Set(folders)].sort()
}

/** Describes the packages that contain the files in `paths`, such as the modules of a bundle. */
export const packagesOf = (paths: readonly string[]): Description[] => foldersOf(paths).map(describePackage)

type Emitter = { emitFile(file: { type: 'asset'; fileName: string; source: string }): void }

/** Plugin of Vite that lists the packages whose code is in the build, for the notices of a release. */
export function thirdParties() {
  return {
    name: 'third-parties',
    generateBundle(this: Emitter, _options: unknown, bundle: object) {
      const paths = Object.values(bundle).flatMap(({ modules = {} }: { modules?: object }) =>
        Object.keys(modules),
      )
      this.emitFile({ type: 'asset', fileName: 'packages.json', source: JSON.stringify(packagesOf(paths)) })
    },
  }
}

/** Returns the folders of all packages in `folder`/node_modules, nested ones included. */
export function installedIn(folder: string): string[] {
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) return []
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => join(name, each)) : [name],
  )
  return names
    .map((name) => join(modules, name))
    .filter((each) => existsSync(join(each, 'package.json')))
    .flatMap((each) => [each, ...installedIn(each)])
    .sort()
}
