import { useToast } from '../app/toast.tsx'
import { useWords, words } from '../app/words.ts'

const WORDS = words({
  delete: ['Delete', '删除'],
  sure: ['Delete this?', '确定删除吗？'],
  deleted: ['Deleted.', '已删除。'],
})

/** A button that deletes after a question, and then leads on. */
export function Remove({ send, onDone }: { send(): Promise<unknown>; onDone(): void }) {
  const t = useWords(WORDS)
  const { say, fail } = useToast()
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => {
        if (!confirm(t.sure)) return
        send().then(() => {
          say(t.deleted)
          onDone()
        }, fail)
      }}
    >
      {t.delete}
    </button>
  )
}
