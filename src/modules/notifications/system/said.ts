/** What several system notifications say of themselves: how something was decided, in two spellings, and a gift. */
export const DECIDED = '`passed`, `rejected`'
export const SPELLED = '`passed`, `reject`'
export const GIFT = { amount: '' } as const
