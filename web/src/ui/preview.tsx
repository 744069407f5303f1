import type { Kith } from '@kith/client'
import { useEffect, useState } from 'preact/hooks'
import { useSite } from '../app/site.ts'
import { cutText, plainLine, type TextNode } from '../app/text.ts'
import { useWords, words } from '../app/words.ts'
import { Text } from './text.tsx'

const WORDS = words({ preview: ['Preview', '预览'] })

const PAUSE_MS = 400
const SUMMARY_MOST = 1_000

const readMarkdown = async (api: Kith, text: string, signal?: AbortSignal): Promise<TextNode[]> => {
  const body = { text, format: 'markdown' as const }
  return (await api.post('/texts/preview', { body, ...(signal ? { signal } : {}) })).tree
}

/** Shows Markdown as readers will see it. Keeps the last preview during a request and after an error. */
export function Preview({ text }: { text: string }) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const [tree, setTree] = useState<TextNode[]>([])
  const isEmpty = text.trim() === ''
  useEffect(() => {
    if (isEmpty) return setTree([])
    const over = new AbortController()
    const show = async () => {
      const next = await readMarkdown(api, text, over.signal)
      if (!over.signal.aborted) setTree(next)
    }
    const timer = setTimeout(() => void show().catch(() => {}), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [text])
  if (tree.length === 0) return null
  return (
    <section class="card preview" aria-label={t.preview}>
      <Text tree={tree} name="preview" />
    </section>
  )
}

/** The start of a Markdown text without its marks. Falls back to the text as written. */
export async function summaryOf(api: Kith, text: string): Promise<string> {
  const tree = await readMarkdown(api, text).catch(() => undefined)
  return cutText(plainLine(tree, text) || text, SUMMARY_MOST)
}
