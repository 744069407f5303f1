import { identityOf } from '../../app/identity.ts'
import type { Document } from '../../app/page.ts'

export const documents: Document[] = [
  {
    path: '/manifest.webmanifest',
    type: 'application/manifest+json',
    make: async ({ api, language }) => {
      const { identity } = await api.get('/bootstrappers')
      const { name, description, background, accent, icons, screenshots } = identityOf(language, identity)
      return JSON.stringify({
        id: '/',
        name,
        short_name: name,
        description,
        lang: language === 'zh' ? 'zh-CN' : 'en',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: background,
        theme_color: accent,
        categories: ['social'],
        icons,
        screenshots,
      })
    },
  },
]
