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
import sitePicture from '../ui/site.png'
import type { Language } from './words.ts'

const SCREENSHOTS = { en: { wide: wideEn, narrow: narrowEn }, zh: { wide: wideZh, narrow: narrowZh } }

/** Icons that the server drew from the one of the administrator. Their addresses differ in the file name. */
const ownIcons = (largest: string) => {
  const icon = (file: string) => largest.replace('icon-512.png', file)
  return {
    favicon: icon('favicon.ico'),
    appleTouch: icon('apple-touch-icon.png'),
    icons: [
      { src: icon('icon-192.png'), sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: largest, sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: icon('maskable-512.png'), sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
}

const ICONS = {
  favicon: '/favicon.ico',
  vector: mark,
  appleTouch,
  icons: [
    { src: mark, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: icon192, sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: icon512, sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: maskable, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
}

type Icons = { favicon: string; vector?: string; appleTouch: string; icons: (typeof ICONS)['icons'] }

/** Name, colours and icons of the site. Pages and the manifest take them from here only. */
export function identityOf(
  language: Language,
  { name, description, accent, icon, picture }: Schema<'SiteIdentity'>,
) {
  const icons: Icons = icon ? ownIcons(icon) : ICONS
  return {
    name,
    description,
    background: '#fbfaf8',
    backgroundDark: '#121514',
    accent: accent?.light ?? '#0b7468',
    style: accent && `/site-accents/${accent.chosen.slice(1)}.css`,
    picture: picture ?? sitePicture,
    ...icons,
    // Pictures of a site with another look would mislead in the dialog that installs the site.
    screenshots: icon || accent ? [] : screenshotsOf(language),
  }
}

const screenshotsOf = (language: Language) => [
  { src: SCREENSHOTS[language].narrow, sizes: '780x1688', type: 'image/webp', form_factor: 'narrow' },
  { src: SCREENSHOTS[language].wide, sizes: '1280x800', type: 'image/webp', form_factor: 'wide' },
]
