import { Shared, Time } from '#platform/schema.ts'

/** Until when signing in takes the deletion back. */
export const Deletion = Shared('AccountDeletion', { due_at: Time })
