import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { thirdParties } from '../scripts/third-parties.ts'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const FILE = here('../openapi.json')

function abilitiesOf({ paths }) {
  const abilities = {}
  for (const [path, verbs] of Object.entries(paths)) {
    if (!path.startsWith('/api/v2/admin/')) continue
    for (const [verb, { description = '' }] of Object.entries(verbs)) {
      const [told] = /Needs (the ability|one of the abilities) [^.]*\./.exec(description) ?? []
      const ability = [...(told ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)
      if (ability.length > 0) abilities[`${verb} ${path.slice('/api/v2/admin/'.length)}`] = ability
    }
  }
  return `export const ABILITIES = ${JSON.stringify(abilities)}`
}

const settingsOf = ({ components }) =>
  `export const SETTINGS = ${JSON.stringify(components.schemas.Settings.properties, (key, value) =>
    key === 'description' ? undefined : value,
  )}`

/** Virtual modules from the API description, so that the console does not load all of openapi.json. */
const MODULES = { 'virtual:contract': abilitiesOf, 'virtual:settings': settingsOf }

function contract() {
  return {
    name: 'contract',
    resolveId: (source) => (source in MODULES ? `\0${source}` : null),
    load(loaded) {
      const textOf = MODULES[loaded.slice(1)]
      if (!textOf) return null
      this.addWatchFile(FILE)
      return textOf(JSON.parse(readFileSync(FILE, 'utf8')))
    },
  }
}

export default defineConfig({
  base: '/admin/',
  plugins: [contract(), thirdParties()],
  resolve: {
    alias: {
      '@kith/client': here('../sdk/src/index.ts'),
      'openapi-fetch': here('node_modules/openapi-fetch'),
    },
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    // Silences warnings about `'use client'` directives of libraries.
    rolldownOptions: {
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
  server: { proxy: { '/api': process.env.KITH_URL ?? 'http://127.0.0.1:8080' } },
})
