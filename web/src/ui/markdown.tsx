import { lexer, type MarkedToken, type Token } from 'marked'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'

/** Uploads in Markdown have the form `@![title](id)`. */
const UPLOAD = /@!\[([^\]\n]*)\]\((\d{1,15})\)/g
const isUpload = (href: string) => /^\/api\/v2\/files\/\d+/.test(href)

/**
 * Renders Markdown of users as elements, so that no HTML needs sanitizing. Pictures of other sites become
 * links, because loading a picture would reveal the IP address of the reader to its site.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = lexer(text.replace(UPLOAD, (_, name, id) => `![${name}](/api/v2/files/${id}?w=960)`))
  levelHeadings(tokens)
  return <div class="markdown">{all(tokens)}</div>
}

/** Closes gaps between heading levels, so that screen readers get a valid outline. */
function levelHeadings(tokens: Token[]) {
  const above: number[] = []
  for (const token of tokens) {
    if (token.type !== 'heading') continue
    while ((above.at(-1) ?? 0) >= token.depth) above.pop()
    above.push(token.depth)
    token.depth = above.length
  }
}

const all = (tokens: Token[] | undefined): ComponentChildren =>
  tokens?.map((token, n) => <One key={n} token={token as MarkedToken} />)

/** HTML entities that the lexer leaves in texts. */
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}
const plain = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? '')

function One({ token }: { token: MarkedToken }): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      // Starts at the second level, because the page title is the only first-level heading.
      const Level = `h${Math.min(token.depth + 1, 6)}` as 'h2'
      return <Level>{all(token.tokens)}</Level>
    }
    case 'paragraph':
      return <p>{all(token.tokens)}</p>
    case 'strong':
      return <strong>{all(token.tokens)}</strong>
    case 'em':
      return <em>{all(token.tokens)}</em>
    case 'del':
      return <del>{all(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it too
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{all(token.tokens)}</blockquote>
    case 'list': {
      const items = token.items.map((item, n) => <li key={n}>{all(item.tokens)}</li>)
      return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'link':
      return <Away href={token.href}>{all(token.tokens)}</Away>
    case 'image':
      return isUpload(token.href) ? (
        <img src={token.href} alt={token.text} loading="lazy" decoding="async" />
      ) : (
        <Away href={token.href}>{token.text || token.href}</Away>
      )
    case 'table':
      return (
        <table>
          <thead>
            <tr>
              {token.header.map((cell, n) => (
                <th key={n}>{all(cell.tokens)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.map((row, n) => (
              <tr key={n}>
                {row.map((cell, m) => (
                  <td key={m}>{all(cell.tokens)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
    case 'text':
      return token.tokens ? all(token.tokens) : plain(token.text)
    case 'escape':
      return token.text
    case 'space':
    case 'def':
      return null
    default:
      return token.raw
  }
}

function Away({ href, children }: { href: string; children: ComponentChildren }) {
  if (/^\/(?![/\\])/.test(href)) return <Link href={href}>{children}</Link>
  if (!/^(https?|mailto):/i.test(href)) return children
  return (
    <a href={href} rel="nofollow ugc noopener" target="_blank">
      {children}
    </a>
  )
}
