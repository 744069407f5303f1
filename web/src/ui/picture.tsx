import type { Schema } from '@kith/client'
import { Link } from 'wouter-preact'

/** Some lists of the specification have the URL of a profile picture in place of the picture. */
type Person = Pick<Schema<'User'>, 'id' | 'name'> & {
  avatar: Schema<'User'>['avatar'] | Schema<'UserWithUrls'>['avatar']
}

const addressOf = (avatar: NonNullable<Person['avatar']>) =>
  typeof avatar === 'string' ? avatar : avatar.url

const COLOURS = 6

export function Avatar({ person, size = 44 }: { person: Person | null; size?: 28 | 44 | 96 }) {
  if (person?.avatar)
    return (
      <img
        class={`avatar is-${size}`}
        src={`${addressOf(person.avatar)}?rule=w_${size * 2},h_${size * 2}`}
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
