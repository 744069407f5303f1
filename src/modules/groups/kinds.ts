import type { ContentKind } from '#platform/content.ts'
import { groupCounters, groupEscrowChecks, groupReader, postReader, postRemoval } from './index.ts'

/** Groups and their posts, as the rest of Kith knows them. */
export const GROUP_KINDS: ContentKind[] = [
  {
    type: 'groups',
    code: 11,
    reader: groupReader,
    counters: groupCounters,
    paymentChecks: groupEscrowChecks,
    files: { 'group:avatar': 'admin: groups' },
    repostable: true,
  },
  {
    type: 'group-posts',
    code: 12,
    reader: postReader,
    removal: postRemoval,
    files: { 'group:post': 'admin: groups' },
    repostable: true,
  },
]
