import { useToast } from '../app/toast.tsx'
import { useWords, words } from '../app/words.ts'
import { Dialog } from './dialog.tsx'
import { Field, Form } from './form.tsx'
import { WritingArea } from './writing-area.tsx'

const WORDS = words({
  edit: ['Edit', '编辑'],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
  title: ['Title', '标题'],
  text: ['Text (Markdown)', '正文（支持 Markdown）'],
})

export type Revision = {
  /** Place of the text in the drafts, such as `answer/5`. */
  place: string
  title?: string
  text: string
  send(given: { title: string; text: string }): Promise<unknown>
}

export function ReviseDialog({ place, title, text, send, onClose }: Revision & { onClose(): void }) {
  const t = useWords(WORDS)
  const { say } = useToast()
  return (
    <Dialog title={t.edit} onClose={onClose}>
      <Form
        label={t.save}
        draft={`edit/${place}`}
        send={async (given) => {
          await send({ title: given.title ?? '', text: given.text ?? '' })
          onClose()
          say(t.saved)
        }}
      >
        {title !== undefined && (
          <Field label={t.title} name="title" defaultValue={title} maxLength={100} required />
        )}
        <WritingArea label={t.text} name="text" rows={10} maxLength={50_000} required defaultValue={text} />
      </Form>
    </Dialog>
  )
}
