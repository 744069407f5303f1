import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useSaid } from '../app/said.ts'
import { BLOCKS, plainText, type TextNode, withoutMarks } from '../app/text.ts'

type NodeOf<T extends string> = Extract<TextNode, { type: T }>
type Place = { name: string; isInLink?: boolean }

/**
 * Renders the tree of a member's text. Shows the text as written until a reply contains its tree. `name` makes the
 * ids of headings unique when a page shows several texts.
 */
export function Text({
  tree,
  raw,
  name = 'text',
}: {
  tree: TextNode[] | undefined
  raw?: string | null
  name?: string
}) {
  const said = useSaid()(plainText(tree, raw))
  if (tree?.some((node) => typeof node !== 'string' && isBlock(node)))
    return (
      <div class="markdown" {...said}>
        {render(tree, { name })}
      </div>
    )
  const shown = tree ? render(tree, { name }) : withoutMarks(raw ?? '')
  return (
    <p class="prose" {...said}>
      {shown}
    </p>
  )
}

const isBlock = (node: Exclude<TextNode, string>) =>
  BLOCKS.has(node.type) || (node.type === 'code' && node.block === true)

const render = (nodes: TextNode[], place: Place): ComponentChildren =>
  nodes.map((node, n) => (typeof node === 'string' ? node : <One key={n} node={node} place={place} />))

function One({ node, place }: { node: Exclude<TextNode, string>; place: Place }): ComponentChildren {
  switch (node.type) {
    case 'strong':
      return <strong>{render(node.nodes, place)}</strong>
    case 'emphasis':
      return <em>{render(node.nodes, place)}</em>
    case 'deletion':
      return <del>{render(node.nodes, place)}</del>
    case 'paragraph':
      return <p>{render(node.nodes, place)}</p>
    case 'quote':
      return <blockquote>{render(node.nodes, place)}</blockquote>
    case 'code':
      return node.block ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it too
        <pre tabIndex={0} dir="ltr">
          <code>{node.text}</code>
        </pre>
      ) : (
        <code>{node.text}</code>
      )
    case 'heading': {
      // Starts at the second level, because the page title is the only first-level heading.
      const Level = `h${Math.min(node.level + 1, 6)}` as 'h2'
      return <Level id={idOf(place, node.anchor)}>{render(node.nodes, place)}</Level>
    }
    case 'list': {
      const items = node.items.map((item, n) => <li key={n}>{render(item, place)}</li>)
      return node.start === undefined ? <ul>{items}</ul> : <ol start={node.start}>{items}</ol>
    }
    case 'table':
      return <Table table={node} place={place} />
    case 'break':
      return <br />
    case 'rule':
      return <hr />
    case 'link':
      return <Away node={node} place={place} />
    case 'mention':
      return <Reference href={node.user > 0 && `/users/${node.user}`} text={`@${node.name}`} place={place} />
    case 'topic':
      return <Reference href={`/feed-topics/${node.topic}`} text={`#${node.name}`} place={place} />
    case 'upload':
      return (
        <img
          src={`/api/v2/files/${node.file}?w=960`}
          alt={node.title}
          width={node.width}
          height={node.height}
          loading="lazy"
          decoding="async"
        />
      )
    case 'image':
      // Loading a picture would reveal the IP address of the reader to its site.
      return <Away node={{ type: 'link', href: node.href, nodes: [node.title || node.href] }} place={place} />
  }
}

const idOf = ({ name }: Place, anchor: string) => `${name}-${anchor}`

function Reference({ href, text, place }: { href: string | false; text: string; place: Place }) {
  // A link may not contain another link.
  return href && !place.isInLink ? (
    <Link class="reference" href={href}>
      {text}
    </Link>
  ) : (
    text
  )
}

function Away({ node: { href, nodes }, place }: { node: NodeOf<'link'>; place: Place }): ComponentChildren {
  const [only] = nodes
  const isUrl = nodes.length === 1 && only === href
  const children = isUrl ? href.replace(/^https?:\/\//i, '') : render(nodes, { ...place, isInLink: true })
  if (place.isInLink) return children
  if (href.startsWith('#')) return <a href={`#${idOf(place, anchorOf(href))}`}>{children}</a>
  if (/^\/(?![/\\]|api\/)/.test(href)) return <Link href={href}>{children}</Link>
  if (!/^(?:https?:|mailto:|\/api\/v2\/files\/\d)/i.test(href)) return children
  return (
    <a href={href} rel="nofollow ugc noopener" target="_blank">
      {children}
    </a>
  )
}

function anchorOf(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}

function Table({ table: { align, rows }, place }: { table: NodeOf<'table'>; place: Place }) {
  const [head = [], ...body] = rows
  const classOf = (n: number) => (align[n] ? `is-${align[n]}` : undefined)
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, n) => (
            <th key={n} class={classOf(n)}>
              {render(cell, place)}
            </th>
          ))}
        </tr>
      </thead>
      {body.length > 0 && (
        <tbody>
          {body.map((row, n) => (
            <tr key={n}>
              {row.map((cell, m) => (
                <td key={m} class={classOf(m)}>
                  {render(cell, place)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      )}
    </table>
  )
}
