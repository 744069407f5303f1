import type { Area } from './area.ts'
import { PEOPLE_AREAS } from './people-areas.ts'

/** Every area of the console. */
export const AREAS: readonly Area[] = [...PEOPLE_AREAS]

/** The area of a name; there is one for every resource. */
export function areaNamed(name: string): Area {
  const area = AREAS.find((each) => each.name === name)
  if (!area) throw new Error(`There is no area ${name}`)
  return area
}
