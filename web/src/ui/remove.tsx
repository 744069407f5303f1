import { useConfirm } from '../app/confirm.tsx'
import { useToast } from '../app/toast.tsx'
import { useWords, words } from '../app/words.ts'

const WORDS = words({
  delete: ['Delete', '删除'],
  sure: ['Delete this?', '确定删除吗？'],
  deleted: ['Deleted.', '已删除。'],
})

export function Remove({ send, onDone }: { send(): Promise<unknown>; onDone(): void }) {
  const t = useWords(WORDS)
  const { say, fail } = useToast()
  const confirm = useConfirm()
  return (
    <button
      type="button"
      class="text-button"
      onClick={async () => {
        if (!(await confirm(t.sure, t.delete))) return
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
