import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useSaid } from '../app/said.ts'

export function Summary({
  id,
  href,
  title,
  text,
  image,
  children,
}: {
  id?: string
  href: string
  title: string
  text?: string | null | undefined
  image?: string | null | undefined
  children?: ComponentChildren
}) {
  const said = useSaid()
  return (
    <article class="summary" id={id}>
      <div>
        <h2 {...said(title)}>
          <Link href={href}>{title}</Link>
        </h2>
        {text && (
          <p class="summary-text" {...said(text)}>
            {text}
          </p>
        )}
        {children && <p class="quiet">{children}</p>}
      </div>
      {image && <img src={image} alt="" width={96} height={72} loading="lazy" />}
    </article>
  )
}
