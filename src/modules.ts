import type { Module } from './module.ts'

/** All modules in layers from low to high. A module imports only lower ones, through their index.ts. */
export const LAYERS: readonly (readonly string[])[] = [
  ['audit'],
  ['settings', 'abilities', 'tokens', 'files', 'words', 'address-blocks'],
  ['ledger', 'notifications', 'advertising', 'areas', 'app-versions', 'text-messages'],
  ['accounts'],
  [
    ...['comments', 'likes', 'collections', 'reports', 'pinning', 'purchases', 'rewards', 'checkins', 'tags'],
    ...['certifications', 'conversations', 'nearby', 'linked-accounts'],
  ],
  ['topics', 'music', 'news', 'questions', 'groups'],
  ['feeds'],
  ['im', 'ranks', 'statistics', 'search'],
]

export const MODULES: readonly Module[] = await Promise.all(
  LAYERS.flat().map(async (name) => {
    const { module } = (await import(`./modules/${name}/module.ts`)) as { module?: Module }
    if (module === undefined) throw new Error(`src/modules/${name}/module.ts exports no module`)
    return module
  }),
)
