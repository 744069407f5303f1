import type { Language } from '#platform/errors.ts'

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign] as string)

const TITLE = { en: 'About us', zh: '关于我们' }
const NOTHING = { en: 'Nothing has been written here yet.', zh: '暂无介绍。' }

/** What an administrator wrote about the site, plain text with a paragraph for each line, as a page for people. */
export function aboutPage(content: string, language: Language): string {
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  const paragraphs = lines.length > 0 ? lines : [NOTHING[language]]
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${TITLE[language]}</title>
<style>body { font: 16px/1.6 sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em }</style>
<h1>${TITLE[language]}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</html>
`
}
