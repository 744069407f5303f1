import { useEffect, useRef } from 'preact/hooks'
import { useWords, words } from '../app/words.ts'

const WORDS = words({ more: ['Show more', '加载更多'], loading: ['Loading…', '加载中…'] })

type List = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  next: Record<string, unknown> | null
  isFetchNextPageError: boolean
}

export function More({
  list,
  path,
  query = {},
}: {
  list: List
  path: string
  query?: Record<string, string>
}) {
  const t = useWords(WORDS)
  const end = useRef<HTMLAnchorElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = list
  useEffect(() => {
    if (!end.current || isFetchNextPageError) return
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting && !isFetchingNextPage) void fetchNextPage()
      },
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError])
  if (!hasNextPage) return null
  const { limit: _, ...next } = list.next ?? {}
  const search = new URLSearchParams({
    ...query,
    ...Object.fromEntries(Object.entries(next).map(([k, v]) => [k, String(v)])),
  })
  return (
    <a
      ref={end}
      class="more"
      rel="next nofollow"
      href={`${path}?${search}`}
      onClick={(event) => {
        event.preventDefault()
        void fetchNextPage()
      }}
    >
      {isFetchingNextPage ? t.loading : t.more}
    </a>
  )
}
