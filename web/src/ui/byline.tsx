import type { Schema } from '@kith/client'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { useSite } from '../app/site.ts'
import { ago, timeOf, useWords, words } from '../app/words.ts'
import { AvatarLink } from './picture.tsx'

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
  const { language } = useSite()
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
        <time class="time" dateTime={timeOf(time).toISOString()}>
          {ago(timeOf(time), language)}
        </time>
      </div>
      {children}
    </header>
  )
}
