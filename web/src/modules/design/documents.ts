import type { Document } from '../../app/page.ts'
import mark from '../../ui/mark.svg'

export const documents: Document[] = [
  {
    path: '/manifest.webmanifest',
    type: 'application/manifest+json',
    make: async () =>
      JSON.stringify({
        name: 'Kith',
        short_name: 'Kith',
        start_url: '/',
        display: 'standalone',
        background_color: '#fbfaf8',
        theme_color: '#0b7468',
        icons: [{ src: mark, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
      }),
  },
]
