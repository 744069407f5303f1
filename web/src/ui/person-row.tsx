import type { Schema } from '@kith/client'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { AvatarLink } from './picture.tsx'

export const PersonRow = ({
  person,
  note = person.bio,
  children,
}: {
  person: Schema<'User'>
  note?: ComponentChildren
  children?: ComponentChildren
}) => (
  <li>
    <AvatarLink person={person} />
    <div>
      <Link class="name" dir="auto" href={`/users/${person.id}`}>
        {person.name}
      </Link>
      {note && (
        <p class="quiet" dir="auto">
          {note}
        </p>
      )}
    </div>
    {children}
  </li>
)
