import type { Scene } from '../pictures/photographs.ts'
import type { Language } from './people.ts'

/** Something that somebody published, with what others said under it. */
export type Told = {
  speaks: Language
  text: string
  topics: readonly string[]
  scenes: readonly Scene[]
  replies: readonly string[]
}

export const told = (
  speaks: Language,
  topics: string,
  scenes: string,
  text: string,
  ...replies: string[]
): Told => ({
  speaks,
  text,
  topics: topics.split(' ').filter(Boolean),
  scenes: scenes.split(' ').filter(Boolean) as Scene[],
  replies,
})
