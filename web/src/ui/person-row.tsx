import type { Schema } from '@kith/client'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useSaid } from '../app/said.ts'
import { AvatarLink } from './picture.tsx'

export function PersonRow({
  person,
  note = person.bio,
  children,
}: {
  person: Schema<'User'>
  note?: ComponentChildren
  children?: ComponentChildren
}) {
  const said = useSaid()
  return (
    <li>
      <AvatarLink person={person} />
      <div>
        <Link class="name" dir="auto" href={`/users/${person.id}`}>
          {person.name}
        </Link>
        {note && (
          <p class="quiet" {...(note === person.bio ? said(person.bio) : { dir: 'auto' })}>
            {note}
          </p>
        )}
      </div>
      {children}
    </li>
  )
}

/** A button of a row. Its accessible name contains the name of the person. */
export function PersonButton({
  person,
  label,
  isQuiet = true,
  act,
}: {
  person: Schema<'User'>
  label: string
  isQuiet?: boolean
  act(): void
}) {
  return (
    <button
      type="button"
      class={isQuiet ? 'button is-quiet' : 'button'}
      aria-label={`${label} ${person.name}`}
      onClick={act}
    >
      {label}
    </button>
  )
}
