import { identityOf } from './identity.ts'
import type { Head } from './page.ts'
import type { Boot } from './site.ts'
import { cutText, onOneLine } from './text.ts'
import { scriptWatcher } from './watch-scripts.ts'
import { words } from './words.ts'

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Characters that XML 1.0 forbids. A reader rejects the whole document for one of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: texts of members contain them
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

/** Escapes a text for HTML and XML. */
export const escapeMarkup = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (sign) => SIGNS[sign] as string)

/** Escapes `<`, so that JSON cannot close its script element. */
const json = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

const DESCRIPTION_MOST = 200

const WORDS = words({
  unloaded: [
    'Part of this page could not be loaded, so buttons may not work.',
    '页面部分内容加载失败，按钮可能无法使用。',
  ],
  reload: ['Reload', '重新加载'],
})

export function documentOf(given: {
  body: string
  head: Head
  boot: Boot
  cache: object
  nonce: string
  path: string
  style: string
  script: string
  preload: string[]
}): string {
  const { head, boot, nonce } = given
  const site = identityOf(boot.language, boot.settings.identity)
  const t = WORDS[boot.language]
  const canonical = `${boot.origin}${head.canonical ?? given.path}`
  const description = head.description && cutText(onOneLine(head.description), DESCRIPTION_MOST)
  const image =
    head.image ??
    (head.isPrivate || (head.type ?? 'website') !== 'website'
      ? undefined
      : { url: new URL(site.picture, boot.origin).href, alt: site.name, width: 1200, height: 630 })
  const data =
    head.data ??
    (given.path === '/' ? { '@type': 'WebSite', name: site.name, url: `${boot.origin}/` } : undefined)
  const alternates = head.isPrivate
    ? []
    : [
        ['en', `${canonical}?lang=en`],
        ['zh', `${canonical}?lang=zh`],
        ['x-default', canonical],
      ]
  const meta: [string, string | undefined][] = [
    ['name="description"', description],
    ['name="robots"', head.isPrivate ? 'noindex' : undefined],
    ['property="og:site_name"', site.name],
    ['property="og:title"', head.title],
    ['property="og:description"', description],
    ['property="og:type"', head.type ?? 'website'],
    ['property="og:url"', canonical],
    ['property="og:locale"', boot.language === 'zh' ? 'zh_CN' : 'en'],
    ['property="og:image"', image?.url],
    ['property="og:image:width"', image?.width?.toString()],
    ['property="og:image:height"', image?.height?.toString()],
    ['property="og:image:alt"', image?.alt],
    ['name="twitter:card"', image ? 'summary_large_image' : 'summary'],
  ]
  return `<!doctype html>
<html lang="${boot.language === 'zh' ? 'zh-CN' : 'en'}" data-theme="${boot.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeMarkup(head.title)}</title>
${meta
  .filter(([, content]) => content)
  .map(([name, content]) => `<meta ${name} content="${escapeMarkup(content as string)}">`)
  .join('\n')}
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${site.background}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${site.backgroundDark}" media="(prefers-color-scheme: dark)">
<link rel="canonical" href="${escapeMarkup(canonical)}">
${alternates.map(([language, href]) => `<link rel="alternate" hreflang="${language}" href="${escapeMarkup(href as string)}">`).join('\n')}
<link rel="manifest" href="/manifest.webmanifest">
<link rel="icon" sizes="32x32" href="${escapeMarkup(site.favicon)}">
${site.vector ? `<link rel="icon" type="image/svg+xml" href="${site.vector}">` : ''}
<link rel="apple-touch-icon" href="${escapeMarkup(site.appleTouch)}">
${head.atom ? `<link rel="alternate" type="application/atom+xml" href="${escapeMarkup(head.atom)}" title="${escapeMarkup(head.title)}">` : ''}
${head.type === 'article' && !head.isPrivate ? `<link rel="alternate" type="application/json+oembed" href="${escapeMarkup(`${boot.origin}/oembed?url=${encodeURIComponent(canonical)}`)}" title="${escapeMarkup(head.title)}">` : ''}
<script nonce="${nonce}">${scriptWatcher(given.script)}</script>
<link rel="stylesheet" href="${given.style}">
${site.style ? `<link rel="stylesheet" href="${site.style}">` : ''}
${given.preload.map((file) => `<link rel="modulepreload" href="${file}" nonce="${nonce}">`).join('\n')}
${data ? `<script type="application/ld+json">${json({ '@context': 'https://schema.org', ...data })}</script>` : ''}
</head>
<body>
<div id="app">${given.body}</div>
<p class="unloaded" id="unloaded" role="alert" hidden>${t.unloaded} <a href="">${t.reload}</a></p>
<script type="application/json" id="kith">${json({ ...boot, cache: given.cache })}</script>
<script type="module" nonce="${nonce}" src="${given.script}"></script>
</body>
</html>
`
}
