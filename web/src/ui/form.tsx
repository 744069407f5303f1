import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useFailureText } from '../app/failures.ts'

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
}: {
  send(given: Given, form: HTMLFormElement): Promise<unknown>
  label: string
  children?: ComponentChildren
  isDanger?: boolean
  /** Failure of a form that also works without scripts. Other forms wait for them. */
  posted?: { failure: string }
}) {
  const textOf = useFailureText()
  const [failure, setFailure] = useState(posted?.failure ?? '')
  const [isBusy, setIsBusy] = useState(false)
  const isReady = useIsReady()
  const submit = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    setIsBusy(true)
    setFailure('')
    try {
      await send(Object.fromEntries(new FormData(form)) as Given, form)
    } catch (error) {
      setFailure(textOf(error))
    }
    setIsBusy(false)
  }
  return (
    <form class="fields" method="post" onSubmit={submit}>
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
}: { label: string; name: string } & Omit<JSX.IntrinsicElements['input'], 'name' | 'label'>) => (
  <label>
    {label}
    <input dir={more.type ? undefined : 'auto'} {...more} />
  </label>
)
