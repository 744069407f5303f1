import type { Schema } from '@kith/client'
import appleTouch from '../ui/icons/apple-touch-icon.png'
import icon192 from '../ui/icons/icon-192.png'
import icon512 from '../ui/icons/icon-512.png'
import maskable from '../ui/icons/maskable-512.png'
import mark from '../ui/mark.svg'
import narrowEn from '../ui/screenshots/narrow-en.webp'
import narrowZh from '../ui/screenshots/narrow-zh.webp'
import wideEn from '../ui/screenshots/wide-en.webp'
import wideZh from '../ui/screenshots/wide-zh.webp'
import type { Language } from './words.ts'

const SCREENSHOTS = { en: { wide: wideEn, narrow: narrowEn }, zh: { wide: wideZh, narrow: narrowZh } }

/** Name, colours and icons of the site. Pages and the manifest take them from here only. */
export const identityOf = (language: Language, { name, description }: Schema<'SiteIdentity'>) => ({
  name,
  description,
  background: '#fbfaf8',
  backgroundDark: '#121514',
  accent: '#0b7468',
  appleTouch,
  icon: mark,
  icons: [
    { src: mark, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: icon192, sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: icon512, sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: maskable, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  screenshots: [
    { src: SCREENSHOTS[language].narrow, sizes: '780x1688', type: 'image/webp', form_factor: 'narrow' },
    { src: SCREENSHOTS[language].wide, sizes: '1280x800', type: 'image/webp', form_factor: 'wide' },
  ],
})
