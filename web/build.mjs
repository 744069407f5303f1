// `node build.mjs dist` builds the site. Writes browser files to `assets`, the server's renderer to `server`, and
// their names to `manifest.json`.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, parse, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { packagesOf } from '../scripts/third-parties.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const [out = join(here, 'dist')] = process.argv.slice(2)
const ROOT = '/_/'
const BASE = `${ROOT}assets/`

const filesOf = (pattern) =>
  globSync(pattern, { cwd: here })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
const pageFiles = new Map(
  filesOf('src/modules/*/**/*-page.tsx').map((file) => [basename(file, '.tsx'), file]),
)

const sources = filesOf('{src/**/*.{ts,tsx},../sdk/src/client.ts}')
  .map((file) => readFileSync(join(here, file), 'utf8'))
  .join('')
const isCalled = (path) => path === undefined || sources.includes(`'${path}'`)

const collected = {
  name: 'collected',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: 'collected' }))
    onLoad({ filter: /pages/, namespace: 'collected' }, () => ({
      contents: `export const PAGES = {${[...pageFiles]
        .map(([name, file]) => `${JSON.stringify(name)}: () => import('./${file}'),`)
        .join('\n')}}`,
      resolveDir: here,
    }))
    const collect = (name, files) => ({
      contents: `${files.map((file, n) => `import * as m${n} from './${file}'`).join('\n')}
export const ${name} = [${files.map((_, n) => `m${n}`).join(', ')}]`,
      resolveDir: here,
    })
    onLoad({ filter: /modules/, namespace: 'collected' }, () =>
      collect('MODULES', filesOf('src/modules/*/routes.ts')),
    )
    // Drops the operations that the site never calls, two thirds of these tables.
    onLoad({ filter: /generated[\\/](lists|idempotent)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => isCalled(/^ *"(?:[a-z]+ )?(\/[^"]*)"/.exec(line)?.[1]))
        .join('\n'),
      loader: 'ts',
    }))
    onLoad({ filter: /documents/, namespace: 'collected' }, () =>
      collect('DOCUMENTS', filesOf('src/modules/*/documents.ts')),
    )
  },
}

const plainIcons = {
  name: 'plain-icons',
  setup({ onResolve }) {
    onResolve({ filter: /createLucideIcon\.mjs$/ }, () => ({ path: join(here, 'src/ui/icon.ts') }))
  },
}

/** Modules of many pages, which are part of the application, because each small chunk takes a request of its own. */
const COMMON = [
  'app/{motion,page,said,text,use-draft}.ts',
  'ui/{draft-notes,form,more,person-row,report,summary,tabs,text,time,toggle,writing-area}.tsx',
  'ui/published.ts',
]

/**
 * Makes every lazily loaded module import the application, which is loaded before it. Otherwise esbuild would divide the
 * application into a chunk for each set of pages that share a module, and small chunks compress badly.
 */
const undivided = {
  name: 'undivided',
  setup({ onLoad }) {
    const withImports = (path, files) => ({
      contents: [
        ...files.map((file) => `import ${JSON.stringify(join(here, file))}`),
        readFileSync(path, 'utf8'),
      ].join('\n'),
      loader: 'tsx',
    })
    onLoad({ filter: /app[\\/]app\.tsx$/ }, ({ path }) =>
      withImports(
        path,
        COMMON.flatMap((pattern) => filesOf(`src/${pattern}`)),
      ),
    )
    onLoad({ filter: /(-page|-dialogs?|ui[\\/](viewer|qr|pay)|session|media|live)\.tsx?$/ }, ({ path }) =>
      withImports(path, ['src/app/app.tsx']),
    )
  },
}

/**
 * Makes each function that Preact assigns to a property part of an expression. V8 allocates a function literal that is
 * assigned directly in the old generation, and the collector would then keep all of a rendered page, to which it refers,
 * until its next full collection. Rendering would take half as long again.
 */
const youngFunctions = {
  name: 'young-functions',
  setup({ onLoad }) {
    onLoad({ filter: /preact[\\/](dist[\\/]preact|hooks[\\/]dist[\\/]hooks)\.mjs$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const wrapped = source.replaceAll(/(\.[\w$]+=)function\b/g, '$1nothing||function')
      if (wrapped === source) throw new Error(`${path} assigns no function`)
      return { contents: `let nothing;${wrapped}`, loader: 'js' }
    })
  },
}

const shared = {
  absWorkingDir: here,
  bundle: true,
  format: 'esm',
  minify: true,
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'file', '.png': 'file', '.webp': 'file' },
  assetNames: '[name]-[hash]',
  publicPath: BASE,
  define: { 'process.env.NODE_ENV': '"production"' },
  alias: {
    '@kith/client': join(here, '../sdk/src/index.ts'),
    'openapi-fetch': join(here, 'node_modules/openapi-fetch'),
    'openapi-typescript-helpers': join(here, 'node_modules/openapi-typescript-helpers'),
  },
  plugins: [collected, plainIcons],
  logLevel: 'warning',
}

const assets = join(out, 'assets')
mkdirSync(assets, { recursive: true })

const client = await build({
  ...shared,
  plugins: [collected, plainIcons, undivided],
  entryPoints: ['src/client.tsx'],
  outdir: assets,
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  publicPath: BASE,
  target: 'es2022',
})
const server = await build({
  ...shared,
  plugins: [collected, plainIcons, youngFunctions],
  entryPoints: ['src/server.tsx'],
  outdir: out,
  entryNames: 'server/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  publicPath: ROOT,
  platform: 'node',
  target: 'node24',
})

const worker = await build({
  ...shared,
  entryPoints: ['src/worker.ts'],
  outdir: assets,
  entryNames: '[name]-[hash]',
  format: 'iife',
  target: 'es2022',
})

const entryOf = ({ metafile }) =>
  basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint)[0])

const outputs = new Map(
  Object.entries(client.metafile.outputs).map(([path, output]) => [
    relative(assets, join(here, path)),
    output,
  ]),
)
const nameOf = (source) => [...outputs].find(([, { entryPoint }]) => entryPoint === source)?.[0]
function withImports(name, seen = new Set()) {
  if (!name || seen.has(name)) return seen
  seen.add(name)
  for (const { path, kind } of outputs.get(name)?.imports ?? [])
    if (kind === 'import-statement') withImports(relative(assets, join(here, path)), seen)
  return seen
}

const sheets = ['src/ui/tokens.css', 'src/ui/base.css', ...filesOf('src/{app,ui,modules}/**/*.css')]
const css = await transform(
  [...new Set(sheets)].map((file) => readFileSync(join(here, file), 'utf8')).join('\n'),
  {
    loader: 'css',
    minify: true,
    target: 'es2022',
  },
)

/** Writes a file under a name with its hash. */
function addAsset(name, content) {
  const { name: stem, ext } = parse(name)
  const hashed = `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ext}`
  writeFileSync(join(assets, hashed), content)
  return hashed
}
const style = addAsset('style.css', css.code)
const favicon = addAsset('favicon.ico', readFileSync(join(here, 'src/ui/icons/favicon.ico')))

const script = nameOf('src/client.tsx')
writeFileSync(
  join(out, 'manifest.json'),
  JSON.stringify({
    server: entryOf(server),
    // Files whose addresses stay the same in all builds.
    fixed: { '/sw.js': entryOf(worker), '/favicon.ico': favicon },
    style: BASE + style,
    script: BASE + script,
    preload: [...withImports(script)].map((name) => BASE + name),
    pages: Object.fromEntries(
      [...pageFiles].map(([name, file]) => [name, [...withImports(nameOf(file))].map((each) => BASE + each)]),
    ),
  }),
)

const inputs = [client, server, worker].flatMap(({ metafile }) => Object.keys(metafile.inputs))
writeFileSync(join(out, 'packages.json'), JSON.stringify(packagesOf(inputs.map((path) => join(here, path)))))
