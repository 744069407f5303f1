import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { failureOf } from '../app/api.ts'
import { useWords, words } from '../app/words.ts'
import { DraftNotes } from './draft-notes.tsx'
import { excerptOfForm, useFormDraft } from './form-draft.ts'

const WORDS = words({
  offline: ['No connection. Try again.', '网络连接失败，请重试。'],
  restored: ['What you typed before is back.', '已恢复上次输入的内容。'],
  startOver: ['Start over', '重新填写'],
})

export type Given = Record<string, string>

export function Form({
  send,
  label,
  children,
  isDanger,
  draft: place = null,
}: {
  /** `mark` stays the same for every attempt to send the same draft. */
  send(given: Given, form: HTMLFormElement, mark: string): Promise<unknown>
  label: string
  children?: ComponentChildren
  isDanger?: boolean
  /** Place of the form in the drafts. Without a place, the form forgets what was typed. */
  draft?: string | null
}) {
  const t = useWords(WORDS)
  const [failure, setFailure] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const element = useRef<HTMLFormElement>(null)
  const draft = useFormDraft(place, element)
  const submit = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    setIsBusy(true)
    setFailure('')
    try {
      await draft.send((mark) => send(Object.fromEntries(new FormData(form)) as Given, form, mark))
    } catch (error) {
      setFailure(failureOf(error, t.offline))
    }
    setIsBusy(false)
  }
  return (
    <form ref={element} class="fields" onSubmit={submit} onInput={place === null ? undefined : draft.note}>
      <DraftNotes draft={draft} excerpt={excerptOfForm} />
      {draft.isRestored && (
        <p class="draft-note" role="status">
          {t.restored}{' '}
          <button type="button" class="text-button" onClick={draft.startOver}>
            {t.startOver}
          </button>
        </p>
      )}
      {children}
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      <button class={isDanger ? 'button is-danger' : 'button'} type="submit" disabled={isBusy}>
        {label}
      </button>
    </form>
  )
}

export const Field = ({
  label,
  ...more
}: { label: string; name: string; 'data-private'?: boolean } & Omit<
  JSX.IntrinsicElements['input'],
  'name' | 'label'
>) => (
  <label>
    {label}
    <input dir={more.type ? undefined : 'auto'} {...more} />
  </label>
)
