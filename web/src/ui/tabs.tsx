import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'

/** Links between lists of a page. Scrolls the strip to the selected one, because telephones show only a part. */
export function Tabs({
  label,
  here,
  tabs,
}: {
  label: string
  here: string
  tabs: readonly (readonly [href: string, label: ComponentChildren])[]
}) {
  const strip = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const { current } = strip
    const tab = current?.querySelector<HTMLElement>('.is-here')
    if (current && tab) current.scrollLeft = tab.offsetLeft - (current.clientWidth - tab.offsetWidth) / 2
  }, [here])
  return (
    <nav class="tabs" aria-label={label} ref={strip}>
      {tabs.map(([href, label]) => (
        <Link
          key={href}
          href={href}
          class={href === here ? 'is-here' : undefined}
          aria-current={href === here ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
