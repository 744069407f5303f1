import type { Schema } from '@kith/client'
import { instantOf } from './time.ts'
import { words } from './words.ts'

const WORDS = words({ closed: ['Closed account', '已注销用户'], anonymous: ['Anonymous', '匿名用户'] })

type Written = {
  user?: Pick<Schema<'User'>, 'id' | 'name'> | null
  anonymity?: number
  created_at: string
  updated_at?: string
}

/** The author and the dates of content, as schema.org names them. Never names an anonymous author. */
export function authorship(
  { user, anonymity, created_at, updated_at = created_at }: Written,
  { origin, language }: { origin: string; language: 'en' | 'zh' },
) {
  const shown = anonymity === 1 ? null : user
  return {
    author: {
      '@type': 'Person',
      name: shown?.name ?? WORDS[language][anonymity === 1 ? 'anonymous' : 'closed'],
      ...(shown ? { url: `${origin}/users/${shown.id}` } : {}),
    },
    datePublished: instantOf(created_at),
    dateModified: instantOf(updated_at),
  }
}
