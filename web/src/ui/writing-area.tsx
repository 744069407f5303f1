import type { JSX, RefObject } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Named, useCompletion } from './completion.tsx'

type Given = Omit<
  JSX.IntrinsicElements['textarea'],
  'value' | 'defaultValue' | 'label' | 'onInput' | 'onKeyDown' | 'ref'
> & {
  label?: string
  /** Text of a field whose owner holds the state. Otherwise the field holds it, from `defaultValue` on. */
  value?: string
  defaultValue?: string
  onText?(text: string): void
  /** Suggests topics after `#` too, and receives the chosen topic. */
  onTopic?(topic: Named): void
  onKeyDown?(event: KeyboardEvent): void
  area?: RefObject<HTMLTextAreaElement>
}

/** A field for texts of members. Suggests users after `@`. */
export function WritingArea({
  label,
  value,
  defaultValue = '',
  onText,
  onTopic,
  onKeyDown,
  area,
  ...more
}: Given) {
  const id = useId()
  const [own, setOwn] = useState(defaultValue)
  const text = value ?? own
  const [cursor, setCursor] = useState<number | null>(null)
  const fallback = useRef<HTMLTextAreaElement>(null)
  const element = area ?? fallback
  const moved = useRef<number | null>(null)
  const set = (next: string) => {
    setOwn(next)
    onText?.(next)
  }
  const completion = useCompletion(
    text.slice(0, cursor ?? 0),
    onTopic !== undefined,
    ({ sign, ...chosen }, start) => {
      // Soft hyphens enclose mentions, because older clients recognise no others (feeds-8).
      const inserted = sign === '@' ? `\u00ad@${chosen.name}\u00ad ` : ''
      set(text.slice(0, start) + inserted + text.slice(cursor ?? 0))
      if (sign === '#') onTopic?.(chosen)
      moved.current = start + inserted.length
      setCursor(moved.current)
    },
  )
  useLayoutEffect(() => {
    if (moved.current === null) return
    element.current?.setSelectionRange(moved.current, moved.current)
    moved.current = null
    // Tells the form, which keeps drafts, of the text that the suggestion changed.
    element.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [text])
  const follow = ({ currentTarget }: { currentTarget: HTMLTextAreaElement }) =>
    setCursor(currentTarget.selectionStart)
  const field = (
    <div class="completed">
      <textarea
        id={id}
        dir="auto"
        {...more}
        ref={element}
        value={text}
        onInput={({ currentTarget }) => {
          set(currentTarget.value)
          setCursor(currentTarget.selectionStart)
        }}
        onKeyUp={follow}
        onClick={follow}
        onBlur={() => setCursor(null)}
        onKeyDown={(event) => {
          if (!completion.onKeyDown(event)) onKeyDown?.(event)
        }}
        {...completion.attributes}
      />
      {completion.list}
    </div>
  )
  if (label === undefined) return field
  // The label does not contain the field, because the suggestions would become a part of the field's name.
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {field}
    </div>
  )
}
