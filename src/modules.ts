import type { Module } from './module.ts'

/**
 * Modules in layers from low to high. A module may import only modules of lower layers. Several layers may share a name,
 * which tells a reader what the modules are about.
 */
export const LAYERS: readonly { name: string; modules: readonly string[] }[] = [
  { name: 'core', modules: ['audit'] },
  { name: 'core', modules: ['settings', 'abilities', 'tokens', 'files', 'words', 'address-blocks'] },
  {
    name: 'core',
    modules: [
      ...['ledger', 'notifications', 'advertising', 'appearance', 'areas', 'app-versions', 'pages'],
      'text-messages',
    ],
  },
  { name: 'core', modules: ['push', 'webhooks', 'mail'] },
  { name: 'people', modules: ['users'] },
  { name: 'people', modules: ['sanctions'] },
  { name: 'people', modules: ['accounts'] },
  { name: 'people', modules: ['appeals', 'personal-data'] },
  {
    name: 'reactions',
    modules: [
      ...[
        'comments',
        'likes',
        'collections',
        'reports',
        'pinning',
        'purchases',
        'rewards',
        'checkins',
        'tags',
      ],
      ...['certifications', 'conversations', 'nearby', 'linked-accounts'],
    ],
  },
  { name: 'content', modules: ['topics', 'music', 'news', 'questions', 'groups'] },
  { name: 'content', modules: ['feeds'] },
  {
    name: 'composition',
    modules: ['backups', 'bootstrap', 'digests', 'im', 'moderation', 'ranks', 'statistics', 'search'],
  },
]

export const MODULES: readonly Module[] = await Promise.all(
  LAYERS.flatMap(({ modules }) => modules).map(async (name) => {
    const { module } = (await import(`./modules/${name}/module.ts`)) as { module?: Module }
    if (module === undefined) throw new Error(`src/modules/${name}/module.ts exports no module`)
    return module
  }),
)
