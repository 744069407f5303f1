import { useState } from 'preact/hooks'
import { cutText, onOneLine } from '../app/text.ts'
import type { Draft } from '../app/use-draft.ts'
import { useWords, words } from '../app/words.ts'
import { useTimeFormat } from './time.tsx'

const WORDS = words({
  other: ['You have another draft', '你还有一份草稿'],
  use: ['Use it', '使用'],
  delete: ['Delete', '删除'],
  sure: ['Delete for good', '确认删除'],
  full: [
    'This browser has no room left for drafts. Copy your text before you leave the page.',
    '浏览器存储空间已满，无法保存草稿。离开前请先复制内容。',
  ],
})

const EXCERPT = 80

/** Offers the newest draft of another tab, and says when the browser cannot keep the draft. */
export function DraftNotes<T extends object>({
  draft: { others, isKept, take, discard },
  excerpt,
}: {
  draft: Draft<T>
  excerpt(value: T): string
}) {
  const t = useWords(WORDS)
  const format = useTimeFormat()
  const [asked, setAsked] = useState('')
  const [other] = others
  return (
    <>
      {!isKept && (
        <p class="draft-note" role="alert">
          {t.full}
        </p>
      )}
      {other && (
        <div class="draft-note" role="status">
          <p>
            <b>{t.other}</b> · {format(new Date(other.at), 'ago')}
          </p>
          <p class="quiet" dir="auto">
            {cutText(onOneLine(excerpt(other.value)), EXCERPT)}
          </p>
          <p>
            <button type="button" class="text-button" onClick={() => take(other)}>
              {t.use}
            </button>
            <button
              type="button"
              class="text-button"
              onClick={() => (asked === other.key ? discard(other) : setAsked(other.key))}
            >
              {asked === other.key ? t.sure : t.delete}
            </button>
          </p>
        </div>
      )}
    </>
  )
}
