import type { Module } from './module.ts'

/** Modules in layers from low to high. A module may import only modules of lower layers. */
export const LAYERS: readonly (readonly string[])[] = [
  ['audit'],
  ['settings', 'abilities', 'tokens', 'files', 'words', 'address-blocks'],
  ['ledger', 'notifications', 'advertising', 'appearance', 'areas', 'app-versions', 'pages', 'text-messages'],
  ['accounts'],
  [
    ...['comments', 'likes', 'collections', 'reports', 'pinning', 'purchases', 'rewards', 'checkins', 'tags'],
    ...['certifications', 'conversations', 'nearby', 'linked-accounts'],
  ],
  ['topics', 'music', 'news', 'questions', 'groups'],
  ['feeds'],
  ['backups', 'digests', 'im', 'ranks', 'statistics', 'search'],
]

export const MODULES: readonly Module[] = await Promise.all(
  LAYERS.flat().map(async (name) => {
    const { module } = (await import(`./modules/${name}/module.ts`)) as { module?: Module }
    if (module === undefined) throw new Error(`src/modules/${name}/module.ts exports no module`)
    return module
  }),
)
