import type { Section } from '../areas/area.ts'
import type { Text } from '../shell/text.ts'

/** A page that is no list of records. */
export type PageEntry = { name: string; section: Section; label: Text; icon: string; operation: string }

/** Pages besides the areas, by their address below /admin. */
export const PAGES: readonly PageEntry[] = []
