import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const EACH = 10
const NEAR = '2500px'
const heights = new Map<string, number>()

export function Chunks<T>({
  items,
  keyOf,
  render,
}: {
  items: T[]
  keyOf(item: T): string
  render(item: T): ComponentChildren
}) {
  const rows = Array.from({ length: Math.ceil(items.length / EACH) }, (_, n) =>
    items.slice(n * EACH, (n + 1) * EACH),
  )
  return rows.map((row) => {
    const key = keyOf(row[0] as T)
    return (
      <Row key={key} name={key}>
        {row.map(render)}
      </Row>
    )
  })
}

function Row({ name, children }: { name: string; children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(!heights.has(name))
  useLayoutEffect(() => {
    const { current } = element
    if (current) current.style.height = isNear ? '' : `${heights.get(name)}px`
  }, [isNear])
  useEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (!seen) return
        if (!seen.isIntersecting && seen.boundingClientRect.height > 0)
          heights.set(name, seen.boundingClientRect.height)
        setIsNear(seen.isIntersecting)
      },
      { rootMargin: NEAR },
    )
    observer.observe(current)
    // Paper has the whole list.
    const show = () => setIsNear(true)
    addEventListener('beforeprint', show)
    return () => {
      removeEventListener('beforeprint', show)
      if (current.offsetHeight > 0) heights.set(name, current.offsetHeight)
      observer.disconnect()
    }
  }, [])
  return <div ref={element}>{isNear && children}</div>
}
