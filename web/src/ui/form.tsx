import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useFailureText } from '../app/failures.ts'
import { useWords, words } from '../app/words.ts'
import { DraftNotes } from './draft-notes.tsx'
import { excerptOfForm, useFormDraft } from './form-draft.ts'

const WORDS = words({
  restored: ['What you typed before is back.', '已恢复上次输入的内容。'],
  startOver: ['Start over', '重新填写'],
})

export type Given = Record<string, string>

/** False until scripts run. A form that needs them cannot be sent before, because its button is disabled. */
export function useIsReady(): boolean {
  const [isReady, setIsReady] = useState(false)
  useEffect(() => setIsReady(true), [])
  return isReady
}

export function Form({
  send,
  label,
  children,
  isDanger,
  posted,
  draft: place = null,
}: {
  /** `mark` stays the same for every attempt to send the same draft. */
  send(given: Given, form: HTMLFormElement, mark: string): Promise<unknown>
  label: string
  children?: ComponentChildren
  isDanger?: boolean
  /** Failure of a form that also works without scripts. Other forms wait for them. */
  posted?: { failure: string }
  /** Place of the form in the drafts. Without a place, the form forgets what was typed. */
  draft?: string | null
}) {
  const t = useWords(WORDS)
  const textOf = useFailureText()
  const [failure, setFailure] = useState(posted?.failure ?? '')
  const [isBusy, setIsBusy] = useState(false)
  const isReady = useIsReady()
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
      setFailure(textOf(error))
    }
    setIsBusy(false)
  }
  return (
    <form
      ref={element}
      class="fields"
      method="post"
      onSubmit={submit}
      onInput={place === null ? undefined : draft.note}
    >
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
      <button
        class={isDanger ? 'button is-danger' : 'button'}
        type="submit"
        disabled={isBusy || !(isReady || posted)}
      >
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
