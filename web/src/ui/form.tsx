import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useFailureText } from '../app/failures.ts'

export type Given = Record<string, string>

export function Form({
  send,
  label,
  children,
  isDanger,
}: {
  send(given: Given, form: HTMLFormElement): Promise<unknown>
  label: string
  children?: ComponentChildren
  isDanger?: boolean
}) {
  const textOf = useFailureText()
  const [failure, setFailure] = useState('')
  const [isBusy, setIsBusy] = useState(false)
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
    <form class="fields" onSubmit={submit}>
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
}: { label: string; name: string } & Omit<JSX.IntrinsicElements['input'], 'name' | 'label'>) => (
  <label>
    {label}
    <input dir={more.type ? undefined : 'auto'} {...more} />
  </label>
)
