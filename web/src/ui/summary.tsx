import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'

export const Summary = ({
  href,
  title,
  text,
  image,
  children,
}: {
  href: string
  title: string
  text?: string | null | undefined
  image?: string | null | undefined
  children?: ComponentChildren
}) => (
  <article class="summary">
    <div>
      <h2 dir="auto">
        <Link href={href}>{title}</Link>
      </h2>
      {text && (
        <p dir="auto" class="summary-text">
          {text}
        </p>
      )}
      {children && <p class="quiet">{children}</p>}
    </div>
    {image && <img src={image} alt="" width={96} height={72} loading="lazy" />}
  </article>
)
