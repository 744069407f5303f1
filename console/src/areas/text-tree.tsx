import { Box, Divider, Link, Skeleton } from '@mui/material'
import type { SystemStyleObject, Theme } from '@mui/system'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { Link as PageLink } from 'react-router'
import { fileAddress } from '../api/upload.ts'
import { useText } from '../shell/text.ts'
import type { MemberText, TextNode, TextTree } from './member-text.ts'

/** `top` is the level of the text's first headings on the page, and `prefix` separates their ids from others. */
type Place = { top: number; prefix: string; isInLink: boolean }

const PICTURE_WIDTH = 640

/** Displays the tree of a member's text. React escapes all strings, and pictures of other sites are links. */
export function TextView({
  text: { tree, format },
  top = 2,
  sx = {},
}: {
  text: Pick<MemberText, 'tree' | 'format'>
  top?: number
  sx?: SystemStyleObject<Theme>
}) {
  const prefix = useId()
  return (
    <Box
      dir="auto"
      sx={{
        overflowWrap: 'anywhere',
        ...(format === 'plain' ? { whiteSpace: 'pre-wrap' } : BLOCKS),
        ...sx,
      }}
    >
      <Nodes nodes={tree} place={{ top, prefix, isInLink: false }} />
    </Box>
  )
}

const BLOCKS: SystemStyleObject<Theme> = {
  '& p, & ul, & ol, & blockquote, & pre, & h2, & h3, & h4, & h5, & h6': { mt: 0, mb: 1.5 },
  '& > :last-child': { mb: 0 },
  '& h2, & h3, & h4, & h5, & h6': { fontSize: '1rem', lineHeight: 1.4, mt: 2 },
  '& h2': { fontSize: '1.3rem' },
  '& h3': { fontSize: '1.15rem' },
  '& > :first-child': { mt: 0 },
  '& ul, & ol': { paddingInlineStart: 3 },
  '& li > ul, & li > ol': { mb: 0 },
  '& blockquote': {
    mx: 0,
    paddingInlineStart: 2,
    borderInlineStart: '3px solid',
    borderColor: 'divider',
    color: 'text.secondary',
  },
  '& hr': { my: 2 },
}

/** Keeps a wide element from widening the page. It scrolls instead. */
const SCROLLING: SystemStyleObject<Theme> = { overflowX: 'auto', contain: 'inline-size' }

const CODE: SystemStyleObject<Theme> = { fontFamily: 'monospace', fontSize: '0.9em', bgcolor: 'action.hover' }

function Nodes({ nodes, place }: { nodes: TextTree; place: Place }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of a tree have no identity, and never move
  return nodes.map((node, position) => <Node key={position} node={node} place={place} />)
}

function Node({ node, place }: { node: TextNode; place: Place }): ReactNode {
  if (typeof node === 'string') return node
  const inside = 'nodes' in node && <Nodes nodes={node.nodes} place={place} />
  switch (node.type) {
    case 'strong':
      return <strong>{inside}</strong>
    case 'emphasis':
      return <em>{inside}</em>
    case 'deletion':
      return <del>{inside}</del>
    case 'paragraph':
      return <p dir="auto">{inside}</p>
    case 'quote':
      return <blockquote dir="auto">{inside}</blockquote>
    case 'break':
      return <br />
    case 'rule':
      return <Divider component="hr" />
    case 'code':
      return <Code text={node.text} isBlock={node.block === true} />
    case 'link':
      return place.isInLink ? (
        inside
      ) : (
        <TextLink href={node.href} prefix={place.prefix}>
          <Nodes nodes={node.nodes} place={{ ...place, isInLink: true }} />
        </TextLink>
      )
    case 'mention':
      return <Reference to={`/people/${node.user}/show`} text={`@${node.name}`} place={place} />
    case 'topic':
      return <Reference to={`/topics/${node.topic}/show`} text={`#${node.name}`} place={place} />
    case 'upload':
      return <Upload {...node} />
    case 'image':
      return <OutsidePicture {...node} place={place} />
    case 'heading':
      return (
        <Box component={headingOf(place.top + node.level - 1)} dir="auto" id={place.prefix + node.anchor}>
          {inside}
        </Box>
      )
    case 'list':
      return <List {...node} place={place} />
    case 'table':
      return <Table {...node} place={place} />
    default:
      return null
  }
}

const headingOf = (level: number) => `h${Math.min(level, 6)}` as 'h2'

function Code({ text, isBlock }: { text: string; isBlock: boolean }) {
  if (!isBlock)
    return (
      <Box component="code" sx={{ ...CODE, px: 0.5, borderRadius: 0.5 }}>
        {text}
      </Box>
    )
  return (
    <Box
      component="pre"
      dir="ltr"
      tabIndex={0}
      sx={{ ...CODE, p: 1.5, borderRadius: 1.5, overflowWrap: 'normal', ...SCROLLING }}
    >
      <code>{text}</code>
    </Box>
  )
}

function TextLink({ href, prefix, children }: { href: string; prefix: string; children: ReactNode }) {
  if (!href.startsWith('#'))
    return (
      <Link href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </Link>
    )
  const id = prefix + decoded(href.slice(1))
  // Scrolls by script, because a new hash in the address would be another page of the console.
  return (
    <Link
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault()
        document.getElementById(id)?.scrollIntoView()
      }}
    >
      {children}
    </Link>
  )
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash)
  } catch {
    return hash
  }
}

/** A link to a page of the console. The id is 0 inside a link, where the server looks up no names. */
function Reference({ to, text, place }: { to: string; text: string; place: Place }) {
  if (place.isInLink) return text
  return (
    <Link component={PageLink} to={to}>
      {text}
    </Link>
  )
}

function Upload({
  file,
  title,
  width,
  height,
}: {
  file: number
  title: string
  width?: number
  height?: number
}) {
  const t = useText()
  const [isBroken, setBroken] = useState(false)
  const { data: address, isError } = useQuery({
    queryKey: ['upload', file],
    queryFn: () => fileAddress(file, PICTURE_WIDTH),
    retry: false,
  })
  const size = width && height ? { aspectRatio: `${width} / ${height}` } : {}
  const box = { width: Math.min(width ?? PICTURE_WIDTH, PICTURE_WIDTH), maxWidth: '100%', borderRadius: 1.5 }
  if (isError || isBroken)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        [{t([`Picture ${file} is not available`, `图片 ${file} 无法显示`])}
        {title && `: ${title}`}]
      </Box>
    )
  if (!address)
    return (
      <Skeleton
        component="span"
        variant="rounded"
        sx={{
          ...box,
          ...size,
          display: 'inline-block',
          ...(width && height ? { height: 'auto' } : { height: 160 }),
        }}
      />
    )
  return (
    <Box
      component="img"
      src={address}
      alt={title}
      loading="lazy"
      onError={() => setBroken(true)}
      sx={{
        ...(width && height ? { ...box, ...size } : { maxWidth: '100%', borderRadius: 1.5 }),
        verticalAlign: 'middle',
      }}
    />
  )
}

/** A link to a picture of another site. Loading the picture would reveal the administrator's IP address to the site. */
function OutsidePicture({ href, title, place }: { href: string; title: string; place: Place }) {
  const t = useText()
  const text = t([`[Picture: ${title || href}]`, `[图片：${title || href}]`])
  if (place.isInLink) return text
  return (
    <TextLink href={href} prefix={place.prefix}>
      {text}
    </TextLink>
  )
}

function List({ start, items, place }: { start?: number; items: TextTree[]; place: Place }) {
  const inside = items.map((nodes, position) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of a tree have no identity, and never move
    <li key={position} dir="auto">
      <Nodes nodes={nodes} place={place} />
    </li>
  ))
  return start === undefined ? <ul>{inside}</ul> : <ol start={start}>{inside}</ol>
}

type Alignment = 'left' | 'center' | 'right' | null

function Table({ align, rows, place }: { align: Alignment[]; rows: TextTree[][]; place: Place }) {
  const t = useText()
  const [header = [], ...body] = rows
  const cells = (row: TextTree[], component: 'th' | 'td') =>
    row.map((nodes, position) => (
      <Box
        // biome-ignore lint/suspicious/noArrayIndexKey: a column of a tree has no identity but its position
        key={position}
        component={component}
        dir="auto"
        {...(component === 'th' ? { scope: 'col' } : {})}
        sx={{ border: 1, borderColor: 'divider', px: 1, py: 0.5, textAlign: align[position] ?? 'start' }}
      >
        <Nodes nodes={nodes} place={place} />
      </Box>
    ))
  return (
    <Box role="region" aria-label={t(['Table', '表格'])} tabIndex={0} sx={{ ...SCROLLING, mb: 1.5 }}>
      <Box component="table" sx={{ borderCollapse: 'collapse', overflowWrap: 'normal' }}>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {body.map((row, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a tree have no identity, and never move
            <tr key={position}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </Box>
    </Box>
  )
}
