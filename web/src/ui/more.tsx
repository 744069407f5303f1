import type { KithError } from '@kith/client'
import { useEffect, useRef } from 'preact/hooks'
import { signInAgain } from '../app/sign-in-again.ts'
import { useToast } from '../app/toast.tsx'
import { useWords, words } from '../app/words.ts'

const WORDS = words({ more: ['Show more', '加载更多'], loading: ['Loading…', '加载中…'] })

type List = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): Promise<{ error: KithError | null }>
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
  const { fail } = useToast()
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = list
  const load = async (): Promise<void> => {
    const { error } = await list.fetchNextPage()
    if (!error) return
    if (error.status === 401 && (await signInAgain())) return load()
    fail(error)
  }
  useEffect(() => {
    if (!end.current || isFetchNextPageError) return
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting && !isFetchingNextPage) void load()
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
        void load()
      }}
    >
      {isFetchingNextPage ? t.loading : t.more}
    </a>
  )
}
