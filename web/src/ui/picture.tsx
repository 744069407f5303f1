import type { Schema } from '@kith/client'
import { Link } from 'wouter-preact'

type Person = Pick<Schema<'User'>, 'id' | 'name'> & { avatar: Schema<'User'>['avatar'] }

const COLOURS = 6

export function Avatar({ person, size = 44 }: { person: Person | null; size?: 28 | 44 | 96 }) {
  if (person?.avatar)
    return (
      <img
        class={`avatar is-${size}`}
        src={`${person.avatar.url}?rule=w_${size * 2},h_${size * 2}`}
        width={size}
        height={size}
        alt=""
        loading="lazy"
      />
    )
  return (
    <span class={`avatar is-${size} is-colour-${(person?.id ?? 0) % COLOURS}`} aria-hidden="true">
      {[...(person?.name ?? '?')][0]?.toUpperCase()}
    </span>
  )
}

export const AvatarLink = ({ person, size = 44 }: { person: Person | null; size?: 28 | 44 | 96 }) =>
  person ? (
    <Link href={`/users/${person.id}`} tabIndex={-1} aria-hidden="true">
      <Avatar person={person} size={size} />
    </Link>
  ) : (
    <Avatar person={null} size={size} />
  )
