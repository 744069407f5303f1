import { Link } from 'wouter-preact'

const PARTS = /(\u00ad@[^\u00ad\n]{1,100}\u00ad|https?:\/\/[^\s<>"'，。）)\]]+)/gu

export function Prose({ text }: { text: string }) {
  return (
    <p class="prose">
      {text.split(PARTS).map((part, n) => {
        if (part.startsWith('\u00ad@')) {
          const name = part.slice(2, -1)
          return (
            <Link key={n} href={`/users/${encodeURIComponent(name)}`}>
              @{name}
            </Link>
          )
        }
        if (/^https?:\/\//.test(part))
          return (
            <a key={n} href={part} rel="nofollow ugc noopener" target="_blank">
              {part.replace(/^https?:\/\//, '')}
            </a>
          )
        return part
      })}
    </p>
  )
}

export const plain = (text: string | null): string => (text ?? '').replaceAll('\u00ad', '')
