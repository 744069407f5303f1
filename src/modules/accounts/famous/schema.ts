/** `followed`: everybody who registers follows them. `each`: they follow back. */
export const FAMOUS_TYPES = ['followed', 'each'] as const
export type FamousType = (typeof FAMOUS_TYPES)[number]
