import type { Schema } from '@kith/client'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useWords, words } from '../app/words.ts'
import { AvatarLink } from './picture.tsx'
import { Time } from './time.tsx'

const WORDS = words({ closed: ['Closed account', '已注销用户'], anonymous: ['Anonymous', '匿名用户'] })

export function Byline({
  person,
  time,
  isAnonymous,
  children,
}: {
  person: Schema<'User'> | null | undefined
  time: string
  isAnonymous?: boolean
  children?: ComponentChildren
}) {
  const t = useWords(WORDS)
  return (
    <header class="byline">
      <AvatarLink person={person ?? null} />
      <div>
        {person ? (
          <Link class="name" dir="auto" href={`/users/${person.id}`}>
            {person.name}
          </Link>
        ) : (
          <span class="name" dir="auto">
            {isAnonymous ? t.anonymous : t.closed}
          </span>
        )}
        <Time class="time" at={time} />
      </div>
      {children}
    </header>
  )
}
