import { useLayoutEffect, useRef } from 'preact/hooks'
import { digest } from '../app/drafts.ts'
import { type Draft, useDraft } from '../app/use-draft.ts'

type Entry = readonly [name: string, value: string]
export type Entries = { entries: Entry[] }

const EMPTY: Entries = { entries: [] }

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
const isBox = (control: Control) => control.type === 'checkbox' || control.type === 'radio'

/** Fields of a form, without those that a browser must not store, such as the number of an identity card. */
const controlsOf = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    ({ name, type, autocomplete, dataset }) =>
      name &&
      !['password', 'file', 'hidden'].includes(type) &&
      autocomplete !== 'one-time-code' &&
      dataset.private === undefined,
  )

const entriesOf = (form: HTMLFormElement): Entry[] =>
  controlsOf(form).flatMap((control) =>
    isBox(control) && !(control as HTMLInputElement).checked ? [] : [[control.name, control.value] as const],
  )

/** Fills the fields as a person would, so that the state of their components follows. */
function fill(form: HTMLFormElement, entries: readonly Entry[]): void {
  for (const control of controlsOf(form)) {
    const values = entries.flatMap(([name, value]) => (name === control.name ? [value] : []))
    if (isBox(control)) {
      if ((control as HTMLInputElement).checked !== values.includes(control.value)) control.click()
    } else if (values[0] !== undefined && values[0] !== control.value) {
      control.value = values[0]
      control.dispatchEvent(new Event('input', { bubbles: true }))
      control.dispatchEvent(new Event('change', { bubbles: true }))
    }
  }
}

export type FormDraft = Draft<Entries> & {
  note(): void
  /** Puts the saved values back. */
  startOver(): void
}

/** Keeps the fields of a form as a draft. A draft that changes values which were saved since is only offered. */
export function useFormDraft(place: string | null, form: { current: HTMLFormElement | null }): FormDraft {
  const saved = useRef<Entry[]>([])
  useLayoutEffect(() => {
    if (form.current) saved.current = entriesOf(form.current)
  }, [place])
  const draft = useDraft(place, EMPTY, { base: () => digest(JSON.stringify(saved.current)) })
  useLayoutEffect(() => {
    const { current } = form
    if (!current || draft.version === 0) return
    const { entries } = draft.value
    const wanted = entries.length > 0 ? entries : saved.current
    fill(current, wanted)
    // Some fields appear only with a value of another field.
    const timer = setTimeout(() => fill(current, wanted))
    return () => clearTimeout(timer)
  }, [draft.version])
  const note = () => {
    if (!form.current) return
    const entries = entriesOf(form.current)
    const isSaved = JSON.stringify(entries) === JSON.stringify(saved.current)
    draft.change({ entries: isSaved ? [] : entries })
  }
  return {
    ...draft,
    note,
    async send(act) {
      const sent = form.current ? entriesOf(form.current) : []
      const answer = await draft.send(act)
      saved.current = sent
      note()
      return answer
    },
    startOver() {
      if (form.current) fill(form.current, saved.current)
      draft.clear()
    },
  }
}

export const excerptOfForm = ({ entries }: Entries): string =>
  entries
    .map(([, value]) => value)
    .reduce((longest, value) => (value.length > longest.length ? value : longest), '')
