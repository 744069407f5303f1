// `node build.mjs dist` builds the site. Writes browser files to `assets`, the server's renderer to `server`, and
// their names to `manifest.json`.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const [out = join(here, 'dist')] = process.argv.slice(2)
const BASE = '/_/assets/'

const filesOf = (pattern) =>
  globSync(pattern, { cwd: here })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
const pageFiles = new Map(
  filesOf('src/modules/*/**/*-page.tsx').map((file) => [basename(file, '.tsx'), file]),
)

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
    onLoad({ filter: /documents/, namespace: 'collected' }, () =>
      collect('DOCUMENTS', filesOf('src/modules/*/documents.ts')),
    )
  },
}

/**
 * Makes every lazily loaded module import the application, which is loaded before it. Otherwise esbuild would divide the
 * application into a chunk for each set of pages that share a module, and small chunks compress badly.
 */
const undivided = {
  name: 'undivided',
  setup({ onLoad }) {
    onLoad({ filter: /(-page|ui[\\/](viewer|qr))\.tsx$/ }, ({ path }) => ({
      contents: `import ${JSON.stringify(join(here, 'src/app/app.tsx'))}\n${readFileSync(path, 'utf8')}`,
      loader: 'tsx',
    }))
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
  loader: { '.svg': 'file', '.png': 'file', '.worker.js': 'file' },
  assetNames: '[name]-[hash]',
  publicPath: BASE,
  define: { 'process.env.NODE_ENV': '"production"' },
  alias: {
    '@kith/client': join(here, '../sdk/src/index.ts'),
    'openapi-fetch': join(here, 'node_modules/openapi-fetch'),
    'openapi-typescript-helpers': join(here, 'node_modules/openapi-typescript-helpers'),
  },
  plugins: [collected],
  logLevel: 'warning',
}

const assets = join(out, 'assets')
mkdirSync(assets, { recursive: true })

const client = await build({
  ...shared,
  plugins: [collected, undivided],
  entryPoints: ['src/client.tsx'],
  outdir: assets,
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  target: 'es2022',
})
const server = await build({
  ...shared,
  entryPoints: ['src/server.tsx'],
  outdir: join(out, 'server'),
  entryNames: '[name]-[hash]',
  // Uses the asset names of the browser build, which writes the files.
  assetNames: '../assets/[name]-[hash]',
  platform: 'node',
  target: 'node24',
})

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
const style = `style-${createHash('sha256').update(css.code).digest('hex').slice(0, 8)}.css`
writeFileSync(join(assets, style), css.code)

const script = nameOf('src/client.tsx')
writeFileSync(
  join(out, 'manifest.json'),
  JSON.stringify({
    server: basename(Object.entries(server.metafile.outputs).find(([, { entryPoint }]) => entryPoint)[0]),
    style: BASE + style,
    script: BASE + script,
    preload: [...withImports(script)].map((name) => BASE + name),
    pages: Object.fromEntries(
      [...pageFiles].map(([name, file]) => [name, [...withImports(nameOf(file))].map((each) => BASE + each)]),
    ),
  }),
)
