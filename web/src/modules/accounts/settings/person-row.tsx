import type { Schema } from '@kith/client'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { AvatarLink } from '../../../ui/picture.tsx'

type Action = { label: string; isQuiet?: boolean; act(): void }

/** A person in a list of the settings. The names of its buttons contain the name of the person. */
export function PersonRow({
  person,
  actions,
  children,
}: {
  person: Schema<'User'>
  actions: Action[]
  children?: ComponentChildren
}) {
  return (
    <li>
      <AvatarLink person={person} />
      <div>
        <Link class="name" dir="auto" href={`/users/${person.id}`}>
          {person.name}
        </Link>
        {children}
      </div>
      {actions.map(({ label, isQuiet = true, act }) => (
        <button
          key={label}
          type="button"
          class={isQuiet ? 'button is-quiet' : 'button'}
          aria-label={`${label} ${person.name}`}
          onClick={act}
        >
          {label}
        </button>
      ))}
    </li>
  )
}
