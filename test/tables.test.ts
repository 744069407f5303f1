import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Tables by owning module. JOINT_READS and JOINT_WRITES list the other modules that use a table directly. */
const OWNERS: Record<string, string[]> = {
  'address-blocks': ['address_blocks'],
  abilities: ['abilities', 'role_abilities', 'roles', 'user_roles'],
  accounts: [
    'account_deletions',
    'import_letters',
    'invitation_uses',
    'invitations',
    'recovery_codes',
    'registration_requests',
    'second_factors',
    'verification_codes',
  ],
  advertising: ['advertising', 'advertising_spaces'],
  appeals: ['appeals'],
  appearance: ['site_pictures'],
  areas: ['areas'],
  digests: ['digest_readers'],
  pages: ['consents', 'site_page_versions', 'site_pages'],
  'app-versions': ['app_versions'],
  audit: ['audit_links', 'audit_log'],
  certifications: ['certification_categories', 'certifications'],
  checkins: ['checkin_logs'],
  collections: ['collections'],
  comments: ['comment_marks', 'comments'],
  conversations: ['feedback'],
  feeds: [
    'feed_hots',
    'feed_images',
    'feed_search',
    'feed_topic_links',
    'feed_videos',
    'feed_views',
    'feeds',
  ],
  files: [
    'file_uses',
    'file_variants',
    'files',
    'import_claims',
    'import_files',
    'import_pictures',
    'import_uploads',
    'storage_nodes',
  ],
  groups: [
    ...['group_categories', 'group_counts', 'group_incomes', 'group_member_logs', 'group_members', 'groups'],
    ...[
      'group_post_images',
      'group_post_views',
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
    'earlier_orders',
    'import_balances',
    'import_holds',
    'ledger_accounts',
    'ledger_checkpoints',
    'ledger_postings',
    ...[
      'payment_differences',
      'payment_notices',
      'payment_refunds',
      'payment_statements',
      'payments',
      'recharges',
    ],
    'withdrawals',
  ],
  likes: ['likes'],
  'linked-accounts': ['linked_accounts', 'used_link_proofs'],
  mail: ['mail_texts'],
  moderation: ['account_wave_members', 'account_waves'],
  music: [
    ...['music_singers', 'music_song_counts', 'music_songs', 'music_special_counts', 'music_special_songs'],
    'music_specials',
  ],
  news: ['news', 'news_categories', 'news_counts', 'news_deletions', 'news_subscriptions', 'news_tags'],
  notifications: [
    'import_withdrawn',
    ...['notices', 'notification_counts', 'notification_cursors', 'notification_reads', 'notifications'],
    ...['pin_counters'],
  ],
  push: ['push_deliveries', 'push_devices', 'push_preferences', 'web_push_keys'],
  webhooks: ['webhook_deliveries', 'webhook_endpoints', 'webhook_events'],
  'personal-data': ['data_exports'],
  pinning: ['pins'],
  platform: [
    'idempotency_keys',
    'import_chunks',
    'import_facts',
    'import_notes',
    'import_progress',
    'import_targets',
    'imports',
    'period_sum_changes',
    'period_sum_windows',
    'period_sums',
    'secret_checks',
    'server_nodes',
    'site_epoch',
    'backup_checks',
    'backup_runs',
    'worker_lease',
  ],
  purchases: ['paid_nodes', 'purchases'],
  questions: [
    ...[
      'answer_onlookers',
      'answer_views',
      'answers',
      'question_applications',
      'question_invitations',
      'question_people',
    ],
    ...['question_topic_applications', 'question_topic_counts', 'question_topic_experts', 'question_topics'],
    ...[
      'question_topic_followers',
      'question_topic_links',
      'question_views',
      'question_watchers',
      'questions',
    ],
  ],
  reports: ['reports'],
  rewards: ['rewards'],
  sanctions: ['sanctions'],
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
  users: [
    'contact_rules',
    'famous_users',
    'follow_requests',
    'mentions',
    'muted_words',
    'private_accounts',
    'user_blocks',
    'user_counts',
    'user_follows',
    'user_mutes',
    'users',
    'withheld_follows',
  ],
  words: ['sensitive_words'],
}

const JOINT_READS: Record<string, Record<string, string>> = {
  abilities: {
    users: 'abilities must not import users, and only enabled users count as holders of a role',
  },
  accounts: {
    checkin_logs: 'the import compares the number of check-ins of a user with the check-in rows',
    imports: 'an open import may assign the id of a new founder to another user',
    token_families:
      'the import finds the sign-ins of accounts that users registered before it assigned their ids',
    roles: 'the statement that creates a user finds the roles of the user by name',
    user_roles:
      'the import finds founders and holders of the role `disabler` in the statements that update users',
    user_counts: 'one statement reads the contacts and the number of friends of a user',
    users: 'an account is a row of users, whose columns for sign-in belong to accounts',
    withheld_follows: 'the import restores the notifications of the follows that it deletes',
  },
  appeals: {
    sanctions: 'one statement reads an appeal with its sanction',
    users: 'the administrative list displays the names of users',
  },
  certifications: {
    users: 'the statement that accepts a certification also writes the badge of the user',
  },
  checkins: {
    ledger_postings: 'the audit compares check-ins with the points that were paid for them',
    user_counts: 'one statement reads all numbers of the response to a check-in',
  },
  conversations: {
    notices: 'one list contains the feedback of a user and the notices to this user',
  },
  feeds: {
    paid_nodes: 'the import ends prices of pictures whose feed is deleted',
  },
  files: {
    settings: 'one statement deletes the files of an account, except pictures of settings',
  },
  groups: {
    comments: 'the import reads the texts of reported comments',
    file_uses: 'the import clears group pictures of an earlier run',
    ledger_postings: 'the audit compares escrow with pending membership fees',
    users: 'the member search matches user names, and an income row stores the name of the payer',
  },
  im: {
    imports: 'groups of an import keep the ids of their chat provider',
    users: 'an anti-join in id order finds users without an account at the chat provider',
  },
  ledger: {
    import_notes: 'the report of an import accounts for the amounts that it skipped',
    imports: 'an import undoes payments that users made here since its last run',
    pins: 'one statement reads an order and the other user of a pin',
    settings: 'the import converts old money units by the ratio in the settings',
    users: 'ledger must not import users, and rankings exclude disabled users',
  },
  mail: {
    users: 'mail must not import users, and needs their addresses',
  },
  moderation: {
    user_counts: 'the statement that stores the accounts of a wave also sums their content and followers',
    users: 'one statement stores the matching accounts of a wave, and each batch locks and compares them',
  },
  music: {
    paid_nodes: 'the export contains the price of a song',
  },
  news: {
    tag_categories: 'the export contains the category of a tag',
    tags: 'one statement reads the tags of a page of articles',
    users: 'a lock on the row of the user serializes changes of their subscriptions',
  },
  notifications: {
    answers: 'one statement completes the old notifications of a page, which lack fields',
    comments: 'one statement completes the old notifications of a page, which lack fields',
    group_members: 'the statement also checks whether the recipient may read the post',
    group_posts: 'one statement completes the old notifications of a page, which lack fields',
    group_reports: 'one statement completes the old notifications of a page, which lack fields',
    groups: 'one statement completes the old notifications of a page, which lack fields',
    news: 'one statement completes the old notifications of a page, which lack fields',
    questions: 'the statement also checks whether the recipient wrote the answer or the question',
    user_blocks: 'notifications must not import users, and users receive no notifications from blocked users',
    muted_words: 'notifications must not import users, and users receive no notifications with a muted word',
    push_devices: 'the statement of the recipients also finds those with devices',
    webhook_endpoints:
      'the statement of the recipients also finds whether an endpoint wants the notification',
    user_mutes: 'notifications must not import users, and users receive no notifications from muted users',
    user_follows: 'notifications must not import users, and counts new followers whom the user follows',
    users:
      'notifications must not import users, and needs the names of senders and the recipients of a notice',
  },
  'personal-data': {
    users: 'a lock on the row of the user serializes their requests, and erased users receive no archive',
  },
  pinning: {
    ledger_postings: 'the audit compares pins with their payments',
    users: 'the administrative list displays and searches the names of payers',
  },
  push: {
    comments: 'one statement finds the things of a page that only members of a group may read',
    group_posts: 'one statement finds the things of a page that only members of a group may read',
    groups: 'one statement finds the things of a page that only members of a group may read',
    notification_counts: 'the badge of an app is the number of unread notifications',
  },
  purchases: {
    file_uses: 'the import finds the feeds whose pictures have prices',
    ledger_postings: 'the audit compares purchases with their payments',
    users: 'the statement of a payment pays the seller only if the seller is not disabled',
  },
  questions: {
    ledger_postings: 'the audit compares open bounties with the amounts in escrow',
    settings: 'the import uses the price of a look in the settings',
  },
  rewards: {
    ledger_postings: 'the audit compares rewards with their payments',
    users: 'the statement of a reward checks that the recipient is not disabled',
  },
  sanctions: {
    appeals: 'the list of own sanctions contains the last appeal against each',
    users: 'a lock on the row of the user serializes sanctions, and the administrative list displays names',
  },
  settings: {
    roles: 'the import finds the name of the role for new users by its id',
  },
  users: {
    user_tags: 'one statement finds users by their tags',
  },
}

const JOINT_WRITES: Record<string, Record<string, string>> = {
  accounts: {
    user_counts: 'the statement that creates a user also creates the counters of the user',
    users: 'an account is a row of users, whose columns for sign-in belong to accounts',
    withheld_follows: 'the import restores the notifications of the follows that it deletes',
    user_roles: 'the import writes users and their roles in one statement',
  },
  certifications: {
    users: 'the statement that changes a certification or its category also updates the badges of users',
  },
  feeds: {
    paid_nodes: 'the import ends prices of feeds and pictures that are deleted',
  },
  groups: {
    file_uses: 'the import deletes uploads that an earlier run created for group pictures',
  },
}

const ownerOf = new Map(
  Object.entries(OWNERS).flatMap(([owner, tables]) => tables.map((table) => [table, owner])),
)

const namesIn = (pattern: RegExp) =>
  globSync('migrations/*.sql').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name),
  )
const dropped = namesIn(/drop table (?:if exists )?(\w+)/g)
const migrated = namesIn(/create table (?:if not exists )?(\w+)/g).filter((name) => !dropped.includes(name))

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

test('writes each table only in its owning module, except for JOINT_WRITES', () => {
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

test('reads tables of other modules only through exports of their owners, except for JOINT_READS', () => {
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
