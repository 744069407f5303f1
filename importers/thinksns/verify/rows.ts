import type { Cell, Check } from './check.ts'

const number = (of: string, here = of): Cell => ({
  of,
  there: `coalesce(t.\`${of}\`, 0)`,
  here: `coalesce(t."${here}", 0)`,
})
const text = (of: string, here = of): Cell => ({
  of,
  there: `coalesce(md5(nullif(convert(t.\`${of}\` using utf8mb4), '')), '-')`,
  here: `coalesce(md5(nullif(t."${here}", '')), '-')`,
})
const flag = (of: string): Cell => ({
  of,
  there: `if(coalesce(t.\`${of}\`, 0) = 0, 0, 1)`,
  here: `t."${of}"::int`,
})

const KINDS = {
  Feed: 'feeds',
  Music: 'musics',
  MusicSpecial: 'music_specials',
  News: 'news',
  Question: 'questions',
  Answer: 'question-answers',
  Post: 'group-posts',
  GroupPost: 'group-posts',
}
const kind = (of: string): Cell => ({
  of,
  there: `case substring_index(t.\`${of}\`, '\\\\', -1) ${Object.entries(KINDS)
    .map(([name, of]) => `when '${name}' then '${of}'`)
    .join(' ')} else t.\`${of}\` end`,
  here: `t."${of}"`,
})

type Rows = {
  name: string
  table: string
  target?: string
  cells: Cell[]
  /** Name of the `import_targets` that hold the ids, for rows that could not keep theirs. */
  through?: string
  /** Id of the source here, if it is not the id. */
  id?: string
  there?: string
  here?: string
}

/** A statement that compares columns of rows with the same id. Older versions of the source lack some columns. */
const rows = ({
  name,
  table,
  target = table,
  cells,
  through,
  id = through === undefined ? 't.id' : 'm.source_id',
  there = '',
  here = '',
}: Rows): Check => ({
  name,
  needs: [table],
  cells,
  there: `select t.id, {cells} as value from {${table}} t where t.id between ? and ? ${there}`,
  here: `
    select ${id} as id, {cells} as value from "${target}" t
    ${through === undefined ? '' : `join import_targets m on m.source_table = '${through}' and m.target = t.id::text`}
    where ${id} between $1 and $2 ${here}`,
  told: table,
})

const orders = (name: string, table: string, [owner, ...cells]: [Cell, ...Cell[]]): Check =>
  rows({
    name,
    table,
    target: 'earlier_orders',
    id: 't.source_id',
    cells: [owner, ...cells],
    here: `and t.source = '${table}'`,
  })

const signed = (of: string, by: string, outgoing: number): Cell => ({
  of,
  there: `coalesce(t.\`${of}\`, 0) * if(t.\`${by}\` = ${outgoing}, -1, 1)`,
  here: 't.amount',
})
const orderState = { of: 'state', there: 'coalesce(t.state, 0)', here: 't.state' }
const chargeState = {
  of: 'status',
  there: 'if(t.status = 2, -1, coalesce(t.status, 0))',
  here: 't.state',
}

/** A payment that the import returned shows the state that it had. */
const withdrawn = (of: string, passed: number, rejected: string): Cell => ({
  of,
  there: `case when t.\`${of}\` = ${passed} then 'passed' when ${rejected} then 'rejected' else 'pending' end`,
  here: `case when t.remark = 'refunded by the import' then 'pending' else t.state end`,
})

const withdrawals = (
  name: string,
  table: string,
  wallet: 'wallet' | 'points',
  given: Pick<Rows, 'cells' | 'there'>,
) =>
  rows({
    name,
    table,
    target: 'withdrawals',
    through: `withdrawals of ${wallet}`,
    ...given,
  })

/** True for the owner of a group as its founder, also without such a row in the source. */
const OWNS =
  "t.role = 'founder' and exists (select from groups g where g.id = t.group_id and g.user_id = t.user_id)"

/** Questions whose bounty the import returned are free here. */
const unlessReturned = (cell: Cell): Cell => ({
  ...cell,
  here: `case when exists (
    select from import_holds h where h.subject_type = 'questions' and h.subject_id = t.id and h.given_back)
    then '*' else (${cell.here})::text end`,
})

/** Content and money row by row: whose it is, what it says, where it stands and what it costs. */
export const ROWS: Check[] = [
  {
    ...rows({ name: 'contacts of people', table: 'users', cells: [text('email'), text('phone')] }),
    byUser: true,
  },
  {
    name: 'passwords of people',
    byUser: true,
    needs: ['users'],
    there: `
      select id, md5(password) as value from {users} where id between ? and ? and password regexp '^[$](2[abxy]|argon2)'`,
    // A sign-in here renews a hash.
    here: `
      select id, case when password like '$argon2%' then '*' else md5(password) end as value from users
      where id between $1 and $2 and password is not null`,
  },
  rows({
    name: 'authors and texts of feeds',
    table: 'feeds',
    cells: [number('user_id'), text('feed_content'), number('repostable_id')],
  }),
  rows({
    name: 'authors, texts and fees of news',
    table: 'news',
    cells: [
      number('user_id'),
      text('title'),
      // Pictures of the old site become uploads.
      { ...text('content'), there: `if(t.content like '%/storage/%', '*', ${text('content').there})` },
      number('cate_id', 'category_id'),
      number('audit_status'),
      number('contribute_amount'),
    ],
  }),
  rows({
    name: 'groups',
    table: 'groups',
    cells: [
      number('user_id'),
      text('name'),
      text('mode'),
      number('money'),
      number('audit'),
      { ...text('permissions'), here: `coalesce(md5(nullif(array_to_string(t.permissions, ','), '')), '-')` },
    ],
  }),
  rows({
    name: 'posts in groups',
    table: 'group_posts',
    cells: [number('group_id'), number('user_id'), text('title'), text('body')],
  }),
  rows({
    name: 'states of memberships',
    table: 'group_members',
    cells: [
      number('group_id'),
      number('user_id'),
      { ...text('role'), here: `case when ${OWNS} then '*' else ${text('role').here} end` },
      { ...number('audit'), here: `case when ${OWNS} then '*' else t.audit::text end` },
      { ...flag('disabled'), here: `case when ${OWNS} then '*' else t.disabled::int::text end` },
    ],
    here: `and not exists (
      select from import_targets m where m.source_table = 'added founders' and m.target = t.id::text)`,
  }),
  rows({
    name: 'questions',
    table: 'questions',
    cells: [
      number('user_id'),
      text('subject'),
      text('body'),
      flag('anonymity'),
      unlessReturned(number('amount')),
      number('status'),
      unlessReturned(flag('look')),
      unlessReturned(flag('automaticity')),
      flag('excellent'),
    ],
  }),
  rows({
    name: 'answers',
    table: 'answers',
    cells: [number('question_id'), number('user_id'), text('body'), flag('anonymity'), flag('adoption')],
  }),
  rows({
    name: 'comments',
    table: 'comments',
    cells: [
      kind('commentable_type'),
      number('commentable_id'),
      number('user_id'),
      number('target_user'),
      number('reply_user'),
      text('body'),
    ],
  }),
  rows({ name: 'songs', table: 'musics', target: 'music_songs', cells: [text('title')] }),
  rows({ name: 'albums', table: 'music_specials', cells: [text('title')] }),
  rows({
    name: 'topics',
    table: 'feed_topics',
    cells: [number('creator_user_id'), text('name'), text('status')],
  }),
  rows({
    name: 'rewards',
    table: 'rewards',
    cells: [
      kind('rewardable_type'),
      number('rewardable_id'),
      number('user_id'),
      number('target_user'),
      number('amount'),
    ],
  }),
  rows({
    name: 'prices of content',
    table: 'paid_nodes',
    cells: [
      { ...number('amount'), here: 'case when t.free then 0 else t.amount end' },
      number('raw'),
      number('user_id'),
    ],
    there: "and t.channel in ('feed', 'feeds', 'file', 'music') and t.amount > 0",
  }),
  rows({
    name: 'uploads',
    table: 'file_withs',
    target: 'file_uses',
    cells: [number('user_id', 'owner_id')],
    here: "and coalesce(t.channel, '') <> 'group:avatar'",
  }),
  rows({
    name: 'certifications',
    table: 'certifications',
    cells: [number('user_id'), number('status')],
  }),
  rows({
    name: 'requests for excellence',
    table: 'question_application',
    target: 'question_applications',
    cells: [number('question_id'), number('user_id'), number('amount')],
  }),
  withdrawals('withdrawals from the wallet', 'wallet_cashes', 'wallet', {
    cells: [
      number('user_id', 'owner_id'),
      number('value', 'amount'),
      text('account'),
      withdrawn('status', 1, 't.status = 2'),
    ],
  }),
  withdrawals('withdrawals of points', 'currency_orders', 'points', {
    cells: [number('owner_id'), number('amount'), withdrawn('state', 1, 't.state = -1')],
    there: "and t.target_type = 'cash' and t.amount > 0",
  }),
  orders('earlier orders of points', 'currency_orders', [
    number('owner_id'),
    signed('amount', 'type', -1),
    orderState,
  ]),
  orders('earlier orders of the wallet', 'wallet_orders', [
    number('owner_id'),
    signed('amount', 'type', -1),
    orderState,
  ]),
  orders('earlier charges', 'wallet_charges', [
    number('user_id', 'owner_id'),
    signed('amount', 'action', 0),
    text('transaction_no', 'provider_number'),
    chargeState,
  ]),
  orders('earlier payments', 'native_pay_orders', [
    number('user_id', 'owner_id'),
    number('amount'),
    text('trade_no', 'provider_number'),
    chargeState,
  ]),
  {
    name: 'people whom people block',
    needs: ['black_lists', 'users'],
    there: `
      select distinct b.user_id as id, concat(if(u.id is null or o.id is null, '~', ''), b.target_id) as value
      from {black_lists} b left join {users} u on u.id = b.user_id left join {users} o on o.id = b.target_id
      where b.user_id between ? and ? and b.user_id <> b.target_id`,
    here: 'select user_id as id, target_id::text as value from user_blocks where user_id between $1 and $2',
    of: 'pairs',
  },
  {
    name: 'people whom people follow',
    needs: ['user_follow', 'users'],
    there: `
      select distinct b.user_id as id, concat(if(u.id is null or o.id is null, '~', ''), b.target) as value
      from {user_follow} b left join {users} u on u.id = b.user_id left join {users} o on o.id = b.target
      where b.user_id between ? and ? and b.user_id <> b.target`,
    here: `
      select user_id as id, target_id::text as value from user_follows where user_id between $1 and $2
      union select user_id, target_id::text from withheld_follows where user_id between $1 and $2`,
    of: 'pairs',
  },
  {
    name: 'pictures of feeds',
    needs: ['file_withs', 'files', 'feeds', 'users'],
    there: `
      select w.id, concat(if(u.id is null or o.id is null, '~', ''), w.raw) as value from {file_withs} w
      join {files} c on c.id = w.file_id join {feeds} f on f.id = w.raw
      left join {users} u on u.id = f.user_id left join {users} o on o.id = w.user_id
      where w.id between ? and ? and w.channel = 'feed:image' and w.deleted_at is null`,
    here: `
      select u.id, i.feed_id::text as value from file_uses u join feed_images i on i.feed_id = u.raw and i.file = u.id
      where u.id between $1 and $2 and u.channel = 'feed:image'`,
  },
  {
    name: 'people who paid to see answers',
    needs: ['answer_onlooker'],
    there: 'select answer_id as id, user_id as value from {answer_onlooker} where answer_id between ? and ?',
    here: `
      select answer_id as id, user_id::text as value from answer_onlookers where answer_id between $1 and $2`,
    of: 'pairs',
    atMost: true,
  },
  {
    name: 'accounts of people elsewhere',
    needs: ['user_socialites', 'users'],
    there: `
      select user_id as id, concat(type, ' ', union_id) as value from {user_socialites} where user_id between ? and ?`,
    here: `
      select user_id as id, provider || ' ' || subject as value from linked_accounts where user_id between $1 and $2`,
    of: 'pairs',
    byUser: true,
    atMost: true,
  },
  {
    name: 'abilities of roles',
    needs: ['roles', 'abilities', 'ability_role'],
    there: `
      select l.role_id as id, a.name as value from {ability_role} l join {abilities} a on a.id = l.ability_id
      where l.role_id between ? and ?`,
    here: `
      select m.source_id as id, a.ability as value from import_targets m
      join roles r on r.id = m.target::bigint join role_abilities a on a.role_id = r.id
      where m.source_table = 'roles' and m.source_id between $1 and $2
        and r.name not in ('founder', 'owner', 'developer', 'disabler')`,
    of: 'pairs',
    atMost: true,
  },
  {
    name: 'content that people bought',
    needs: ['paid_nodes', 'paid_node_users', 'users'],
    there: `
      select b.node_id as id, b.user_id as value from {paid_node_users} b
      join {users} u on u.id = b.user_id join {paid_nodes} n on n.id = b.node_id
      where b.node_id between ? and ? and n.amount > 0`,
    here: `
      select node_id as id, user_id::text as value from purchases where node_id between $1 and $2
      union select m.source_id, p.user_id::text from import_targets m join purchases p on p.node_id = m.target::bigint
      where m.source_table = 'paid_nodes' and m.source_id between $1 and $2`,
    of: 'pairs',
    atLeast: true,
    told: 'paid_nodes',
  },
]

/**
 * Rows that are counted, because the import merges and skips some of them: those of all tables of the source, without
 * those that the report names, are as many as those here.
 */
export const TOTALS: { name: string; tables: string[]; here: string[] }[] = [
  { name: 'likes', tables: ['likes'], here: ['likes'] },
  {
    name: 'collections',
    tables: ['collections', 'feed_collections', 'news_collections', 'music_collections'],
    here: ['collections'],
  },
  {
    name: 'tags of people, news and groups',
    tables: ['taggables'],
    here: ['user_tags', 'news_tags', 'group_tags'],
  },
  { name: 'topics of feeds', tables: ['feed_topic_links'], here: ['feed_topic_links'] },
  {
    name: 'people who follow topics',
    tables: ['feed_topic_user_links'],
    here: ['feed_topic_users where followed_at is not null'],
  },
  { name: 'topics of questions', tables: ['question_topic'], here: ['question_topic_links'] },
  {
    name: 'people who follow topics of questions',
    tables: ['topic_user'],
    here: ['question_topic_followers'],
  },
  { name: 'experts', tables: ['topic_expert'], here: ['question_topic_experts'] },
  { name: 'people who watch questions', tables: ['question_watcher'], here: ['question_watchers'] },
  { name: 'people who paid to see answers', tables: ['answer_onlooker'], here: ['answer_onlookers'] },
  { name: 'songs of albums', tables: ['music_special_links'], here: ['music_special_songs'] },
  { name: 'videos of feeds', tables: ['feed_videos'], here: ['feed_videos'] },
  {
    name: 'notifications',
    tables: ['notifications'],
    here: ['notifications', 'withheld_follows where notice is not null'],
  },
  { name: 'check-ins', tables: ['checkin_logs'], here: ['checkin_logs'] },
]
