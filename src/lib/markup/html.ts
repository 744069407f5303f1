import { type TextNode, type TextTree, textOf } from './tree.ts'

const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
// XML 1.0 forbids these characters, even as entities.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes a text for HTML and XML, and drops the characters that XML forbids. */
export const escapeMarkup = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (sign) => SIGNS[sign] as string)

const TAGS: Record<string, string> = {
  strong: 'strong',
  emphasis: 'em',
  deletion: 'del',
  paragraph: 'p',
  quote: 'blockquote',
}

const link = (href: string, content: string) =>
  `<a href="${escapeMarkup(href)}" rel="noopener">${content}</a>`

/** Renders a tree as HTML for a page without scripts. Line feeds become breaks, and headings start at `h2`. */
export const htmlOf = (tree: TextTree): string => tree.map(nodeHtml).join('')

function nodeHtml(node: TextNode): string {
  if (typeof node === 'string') return escapeMarkup(node).replaceAll('\n', '<br>')
  switch (node.type) {
    case 'code':
      return node.block
        ? `<pre><code>${escapeMarkup(node.text)}</code></pre>`
        : `<code>${escapeMarkup(node.text)}</code>`
    case 'link':
      return link(node.href, htmlOf(node.nodes))
    case 'mention':
    case 'topic':
      return escapeMarkup(textOf([node]))
    case 'upload':
      return `<img src="/api/v2/files/${node.file}" alt="${escapeMarkup(node.title)}">`
    case 'image':
      return link(node.href, escapeMarkup(node.title || node.href))
    case 'break':
      return '<br>'
    case 'rule':
      return '<hr>'
    case 'heading': {
      const level = Math.min(node.level + 1, 6)
      return `<h${level} id="${escapeMarkup(node.anchor)}">${htmlOf(node.nodes)}</h${level}>`
    }
    case 'list': {
      const items = node.items.map((item) => `<li>${htmlOf(item)}</li>`).join('')
      return node.start === undefined ? `<ul>${items}</ul>` : `<ol start="${node.start}">${items}</ol>`
    }
    case 'table': {
      const rows = node.rows.map((row, n) => {
        const tag = n === 0 ? 'th' : 'td'
        return `<tr>${row.map((cell) => `<${tag}>${htmlOf(cell)}</${tag}>`).join('')}</tr>`
      })
      return `<table>${rows.join('')}</table>`
    }
    default:
      return `<${TAGS[node.type]}>${htmlOf(node.nodes)}</${TAGS[node.type]}>`
  }
}
