import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Only the owner writes a table. Other modules read the table through the owner's exports. */
const OWNERS: Record<string, string[]> = {
  'address-blocks': ['address_blocks'],
  abilities: ['abilities', 'role_abilities', 'roles', 'user_roles'],
  accounts: [
    'appeals',
    'account_deletions',
    'data_exports',
    'famous_users',
    'invitation_uses',
    'invitations',
    'recovery_codes',
    'registration_requests',
    'sanctions',
    'second_factors',
    'user_blocks',
    'user_counts',
    'user_follows',
    'users',
    'verification_codes',
  ],
  advertising: ['advertising', 'advertising_spaces'],
  areas: ['areas'],
  'app-versions': ['app_versions'],
  audit: ['audit_links', 'audit_log'],
  certifications: ['certification_categories', 'certifications'],
  checkins: ['checkin_logs'],
  collections: ['collections'],
  comments: ['comment_marks', 'comments'],
  conversations: ['feedback'],
  feeds: ['feed_hots', 'feed_images', 'feed_search', 'feed_topic_links', 'feed_videos', 'feeds'],
  files: [
    'file_uses',
    'file_variants',
    'files',
    'import_files',
    'import_pictures',
    'import_uploads',
    'storage_nodes',
  ],
  groups: [
    ...['group_categories', 'group_counts', 'group_incomes', 'group_member_logs', 'group_members', 'groups'],
    ...[
      'group_post_images',
      'group_posts',
      'group_recommends',
      'group_reports',
      'group_tags',
      'group_totals',
    ],
  ],
  nearby: ['user_places'],
  im: [
    ...['chat_members', 'chat_messages', 'chats'],
    ...['im_accounts', 'im_announcements', 'im_embedded_accounts', 'im_embedded_groups', 'im_group_members'],
    ...['im_groups', 'im_registrations', 'im_tokens'],
  ],
  ledger: [
    'import_balances',
    'import_holds',
    'import_orders',
    'ledger_accounts',
    'ledger_checkpoints',
    'ledger_postings',
    ...['payment_differences', 'payment_refunds', 'payment_statements', 'payments', 'recharges'],
    'withdrawals',
  ],
  likes: ['likes'],
  'linked-accounts': ['linked_accounts', 'used_link_proofs'],
  music: [
    ...['music_singers', 'music_song_counts', 'music_songs', 'music_special_counts', 'music_special_songs'],
    'music_specials',
  ],
  news: ['news', 'news_categories', 'news_counts', 'news_deletions', 'news_subscriptions', 'news_tags'],
  notifications: [
    ...['notices', 'notification_counts', 'notification_cursors', 'notification_reads', 'notifications'],
    ...[
      'pin_counters',
      'push_deliveries',
      'push_devices',
      'push_preferences',
      'web_push_keys',
      'webhook_deliveries',
      'webhook_endpoints',
      'webhook_events',
    ],
  ],
  pinning: ['pins'],
  platform: [
    'idempotency_keys',
    'import_chunks',
    'import_notes',
    'import_progress',
    'import_targets',
    'imports',
    'period_sum_changes',
    'period_sum_windows',
    'period_sums',
    'secret_checks',
    'backup_runs',
    'worker_lease',
  ],
  purchases: ['paid_nodes', 'purchases'],
  questions: [
    ...['answer_onlookers', 'answers', 'question_applications', 'question_invitations', 'question_people'],
    ...['question_topic_applications', 'question_topic_counts', 'question_topic_experts', 'question_topics'],
    ...['question_topic_followers', 'question_topic_links', 'question_watchers', 'questions'],
  ],
  reports: ['reports'],
  rewards: ['rewards'],
  settings: ['settings'],
  statistics: [
    'active_people',
    'daily_statistics',
    'health_checks',
    'last_active_days',
    'request_minutes',
    'statistic_series',
  ],
  tags: ['tag_categories', 'tags', 'user_tags'],
  tokens: ['token_families', 'tokens'],
  'text-messages': ['text_message_counts', 'text_messages'],
  topics: ['feed_topic_counts', 'feed_topic_users', 'feed_topics', 'feed_topics_version'],
  words: ['sensitive_words'],
}

const JOINT_READS: Record<string, Record<string, string>> = {
  abilities: {
    users: 'below accounts: who holds a role is counted among accounts that are not disabled',
  },
  accounts: {
    checkin_logs: 'an import compares the days that an account claims with its check-ins',
    roles: 'what a new account is given is found by name in the statement that makes the account',
    user_roles: 'roles of imported people are written with them',
    user_tags: 'people are found by their tags in one statement',
  },
  certifications: {
    users: 'a certification shows on the profile in the statement that decides on it',
  },
  checkins: {
    ledger_postings: 'the audit compares check-ins with what was paid for them',
    user_counts: 'the reply to a check-in takes one round trip',
  },
  conversations: {
    notices: 'notices to a person stand in one list with their feedback',
  },
  feeds: {
    paid_nodes: 'an import writes the price of a picture with the feed',
  },
  groups: {
    comments: 'an import finds whose comment a pin is about',
    file_uses: 'an import binds pictures to posts in one statement',
    ledger_postings: 'the audit compares escrow with what waits',
    users: 'members are searched by name, and an income keeps the name of who paid',
  },
  im: {
    users: 'whom the provider lacks is found by an anti-join in id order',
  },
  ledger: {
    pins: 'an order names the other side of a pin in one statement',
    settings: 'an import turns old money units by the ratio that was set',
    users: 'below accounts: rankings and the administration leave out disabled accounts',
  },
  music: {
    paid_nodes: 'an export carries the price of a song',
  },
  news: {
    tag_categories: 'an export carries the category of a tag',
    tags: 'the tags of a page of articles come in one statement',
    users: 'subscriptions of one person are changed one after the other, by a lock on the person',
  },
  notifications: {
    answers: 'what old notifications lack is looked up in one statement for a page',
    comments: 'what old notifications lack is looked up in one statement for a page',
    group_members: 'who may read what a notification is about, in that statement',
    group_posts: 'what old notifications lack is looked up in one statement for a page',
    group_reports: 'what old notifications lack is looked up in one statement for a page',
    groups: 'what old notifications lack is looked up in one statement for a page',
    news: 'what old notifications lack is looked up in one statement for a page',
    questions: 'an answer is shown to its author and the asker, in that statement',
    user_blocks: 'below accounts: whom the sender blocks, or is blocked by, is not told',
    user_follows: 'below accounts: counts of friends',
    users: 'below accounts: names of senders, and everybody whom a notice is for',
  },
  pinning: {
    ledger_postings: 'the audit compares pins with what was paid for them',
    users: 'the administration shows and finds the name of who pays',
  },
  purchases: {
    ledger_postings: 'the audit compares purchases with what was paid',
    users: 'the statement that pays needs a seller who is not disabled',
  },
  questions: {
    ledger_postings: 'the audit compares bounties with what waits in escrow',
    settings: 'an import keeps what looking at an answer cost',
  },
  rewards: {
    ledger_postings: 'the audit compares rewards with what was paid',
    users: 'the statement that pays needs a person who is not disabled',
  },
  settings: {
    roles: 'an import names the role of newcomers',
  },
}

const JOINT_WRITES: Record<string, Record<string, string>> = {
  accounts: {
    user_roles: 'an import gives people their roles as it writes them',
  },
  certifications: {
    users: 'a change of a kind of certification changes the mark on profiles with it',
  },
  feeds: {
    paid_nodes: 'an import writes prices with the ids that they had',
  },
  groups: {
    file_uses: 'an import binds pictures that it copied',
  },
}

const ownerOf = new Map(
  Object.entries(OWNERS).flatMap(([owner, tables]) => tables.map((table) => [table, owner])),
)

const migrated = globSync('migrations/*.sql').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/create table (?:if not exists )?(\w+)/g)].map(
    ([, name = '']) => name,
  ),
)

type Use = { module: string; table: string; file: string; isWrite: boolean }

function findUses(): Use[] {
  const uses: Use[] = []
  const files = globSync('{src,importers/*}/modules/**/*.ts').filter((name) => !name.endsWith('.test.ts'))
  for (const file of files) {
    const module = /\/modules\/([^/.]+)/.exec(file)?.[1] ?? ''
    const text = readFileSync(file, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/(^|\s)\/\/.*$/gm, '')
      .replace(/'[^'\n]*'/g, "''")
    const names = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
    const written = names(/\b(?:insert into|update|delete from|merge into)\s+(?:only\s+)?(\w+)/g)
    const read = names(/\b(?:from|join|using)\s+(?:lateral\s+)?(\w+)/g)
    for (const table of new Set(written))
      if (ownerOf.has(table)) uses.push({ module, table, file, isWrite: true })
    for (const table of new Set(read))
      if (ownerOf.has(table)) uses.push({ module, table, file, isWrite: false })
  }
  return uses
}

test('lists exactly one owner for every table', () => {
  assert.deepEqual([...ownerOf.keys()].sort(), [...new Set(migrated)].sort())
})

test('writes each table only in its owning module', () => {
  const uses = findUses()
  assert.ok(uses.length > 100, `saw only ${uses.length} uses`)
  const strangers = uses.filter(
    ({ module, table, isWrite }) =>
      isWrite && ownerOf.get(table) !== module && JOINT_WRITES[module]?.[table] === undefined,
  )
  assert.deepEqual(
    strangers.map(({ file, table }) => `${file} writes ${table}`),
    [],
  )
})

test('reads tables of other modules only through exports of their owners', () => {
  const uses = findUses().filter(({ module, table }) => ownerOf.get(table) !== module)
  const found = uses.filter(({ module, table }) => JOINT_READS[module]?.[table] === undefined)
  assert.deepEqual(
    found.map(({ file, table }) => `${file} reads ${table}`),
    [],
  )
  for (const [module, tables] of Object.entries(JOINT_READS))
    for (const table of Object.keys(tables))
      assert.ok(
        uses.some((use) => use.module === module && use.table === table),
        `${module} reads ${table} no longer: take it off the list`,
      )
})
