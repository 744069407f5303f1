import { ABILITIES } from 'virtual:contract'
import type { Area } from './area.ts'
import { COMMUNITY_AREAS } from './community-areas.ts'
import { CONTENT_AREAS } from './content-areas.ts'
import { MODERATION_AREAS } from './moderation-areas.ts'
import { MUSIC_AREAS } from './music-areas.ts'
import { NEWS_AREAS } from './news-areas.ts'
import { PEOPLE_AREAS } from './people-areas.ts'
import { SITE_AREAS } from './site-areas.ts'

export const AREAS: readonly Area[] = [
  ...PEOPLE_AREAS,
  ...MODERATION_AREAS,
  ...CONTENT_AREAS,
  ...NEWS_AREAS,
  ...MUSIC_AREAS,
  ...COMMUNITY_AREAS,
  ...SITE_AREAS,
]

export function areaNamed(name: string): Area {
  const area = AREAS.find((each) => each.name === name)
  if (!area) throw new Error(`There is no area ${name}`)
  return area
}

export const isReadAlone = (area: Area): boolean => `get ${area.path}/{${area.param ?? 'id'}}` in ABILITIES
