/**
 * Abilities that routes check: one for each kind of moderation and area of administration (administration-1).
 */
export const ABILITIES = {
  'feed-post': 'Publish feeds',
  '[feed] Delete Feed': "Delete anybody's feeds",
  '[feed] Delete Comment': "Delete anybody's comments",
  '[News] Delete News Post': "Delete anybody's articles",
  'admin: update feed topic': "Edit anybody's topics",
  'admin: login': 'Enter the administration',
  'admin:user:show': 'See users',
  'admin:user:add': 'Create users',
  'admin:user:update': 'Change and disable users',
  'admin:user:delete': 'Disable users',
  'admin: invitations': 'Invite people, and see who invited whom',
  'admin: registrations': 'Decide who may join',
  'admin:role:show': 'See roles',
  'admin:role:add': 'Create roles',
  'admin:role:update': 'Change roles and give them to users',
  'admin: Deleting role': 'Delete roles',
  'admin:perm:show': 'See abilities',
  'admin:perm:add': 'Create abilities',
  'admin:perm:update': 'Change abilities',
  'admin:perm:delete': 'Delete abilities',
  'admin:site:base': 'Change settings',
  'admin:area:show': 'See areas',
  'admin:area:add': 'Create areas',
  'admin:area:update': 'Change areas',
  'admin:area:delete': 'Delete areas',
  'admin:notice:send': 'Send system notices',
  'admin:storages': 'Manage file storage',
  'admin: checkin config': 'Configure check-in',
  'admin: audit log': 'Read the audit log',
  'admin: health': 'See how the server is: its parts, requests and how long they take',
  'admin: tags': 'Manage tags',
  'admin: reports': 'Handle reports',
  'admin: address blocks': 'Block addresses and networks',
  'admin: sanctions':
    'Warn, silence and suspend people, decide on appeals and read what was done about somebody',
  'admin: certifications': 'See and decide on certifications',
  'admin: conversations': 'Read and delete feedback and system conversations',
  'admin: feed topics': 'Review and manage topics',
  'admin: feeds': 'Manage feeds and their comments',
  'admin: feed pinneds': 'Decide on feed pins',
  'admin: advertising': 'Manage advertisements',
  'admin: app versions': 'Manage versions of mobile clients',
  'admin: music': 'Manage music',
  'admin: news': 'Manage news',
  'admin: questions': 'Manage questions and answers',
  'admin: groups': 'Manage groups',
  'admin: sensitive words': 'Manage sensitive words',
  'admin: currency': "See and change users' points",
  'admin: wallet': "See and change users' wallets",
  'admin: withdrawals': 'Decide on withdrawals',
  'admin: recharges': 'Confirm payments',
  'admin: ledger': 'Audit the ledger',
  'admin: notifications': 'Send notices and manage webhooks',
  'im: manage': 'Manage instant messaging',
} as const

export type Ability = keyof typeof ABILITIES

/** Abilities granted at registration. They give no power over other users. */
export const MEMBER_ABILITIES: readonly Ability[] = ['feed-post']

export const ROLES = [
  { name: 'founder', display: 'Founder', fixed: true, abilities: Object.keys(ABILITIES) },
  { name: 'owner', display: 'Member', fixed: true, abilities: MEMBER_ABILITIES },
  { name: 'developer', display: 'Developer', fixed: true, abilities: [] },
  // For accounts restricted to reading.
  { name: 'disabler', display: 'Restricted', fixed: true, abilities: [] },
] as const

export const isMemberAbility = (ability: string): boolean =>
  (MEMBER_ABILITIES as readonly string[]).includes(ability)
