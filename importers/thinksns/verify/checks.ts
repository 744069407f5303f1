import type { Check } from './check.ts'
import { ROWS } from './rows.ts'

const BETWEEN = 'between ? and ?'
const HERE = 'between $1 and $2'

const content = (name: string, table: string, target: string, there = '', here = ''): Check => ({
  name,
  needs: [table],
  there: `select id, '' as value from {${table}} where id ${BETWEEN} ${there}`,
  here: `select id, '' as value from ${target} where id ${HERE} ${here}`,
  told: table,
})

const LIVE = 'and deleted_at is null'

const waiting = (name: string, table: string, state: string): Check => ({
  name,
  needs: [table],
  there: `select id, concat(user_id, ' ', amount) as value from {${table}} where id ${BETWEEN} and ${state}`,
  here: `
    select m.source_id as id, p.user_id || ' ' || p.amount as value from pins p
    join import_targets m on m.source_table = '${table}' and m.target = p.id::text
    where m.source_id ${HERE} and p.state = 'pending'`,
  told: table,
  ended: '%',
})

/** Every amount of the source is either in the opening balance, or in the report with its reason. */
const accounted = (
  name: string,
  [table]: [string],
  currency: string,
  { there }: { there: string },
): Check => ({
  name,
  byUser: true,
  needs: [table],
  there,
  here: `
    select id, value::text from (
      select id, sum(amount) as value from (
        select owner_id as id, amount from import_balances
        where owner_id ${HERE} and currency = '${currency}' and source = '${table}'
        union all
        select split_part(row_key, '/', 1)::bigint, coalesce(nullif(trim('"' from was), 'null')::numeric, 0)
          - case outcome when 'mended' then coalesce(nullif(trim('"' from became), 'null')::numeric, 0) else 0 end
        from import_notes
        where source_table = '${table}' and source_column in ('sum', 'balance') and reason <> 'unsupported currency'
          and row_key ~ '^[0-9]{1,15}(/|$)' and split_part(row_key, '/', 1)::bigint ${HERE}
      ) parts group by id
    ) sums where value <> 0`,
})

export const CHECKS: Check[] = [
  {
    name: 'people and their names',
    byUser: true,
    needs: ['users'],
    there: `select id, name as value from {users} where id ${BETWEEN}`,
    here: `select id, name as value from users where id ${HERE}`,
    told: 'users',
    cells: [{ of: 'name', there: 'name', here: 'name' }],
  },
  {
    name: 'people who can sign in',
    needs: ['users'],
    there: `select id, '' as value from {users} where id ${BETWEEN} ${LIVE}`,
    here: `select id, '' as value from users where id ${HERE} ${LIVE}`,
    told: 'locked people',
    ended: 'locked: %',
  },
  {
    name: 'roles of people',
    byUser: true,
    needs: ['users', 'roles', 'role_user'],
    there: `
      select u.id, group_concat(r.name order by binary r.name separator ',') as value from {users} u
      join {role_user} x on x.user_id = u.id join {roles} r on r.id = x.role_id where u.id ${BETWEEN} group by u.id`,
    here: `
      select x.user_id as id, string_agg(r.name, ',' order by r.name collate "C") as value from user_roles x
      join roles r on r.id = x.role_id where x.user_id ${HERE} group by x.user_id`,
  },
  {
    name: 'people who may publish',
    byUser: true,
    needs: ['users', 'roles', 'role_user', 'abilities', 'ability_role'],
    there: `
      select distinct u.id, '' as value from {users} u join {role_user} x on x.user_id = u.id
      join {roles} r on r.id = x.role_id left join {ability_role} l on l.role_id = r.id
      left join {abilities} a on a.id = l.ability_id
      where u.id ${BETWEEN} and (a.name = 'feed-post' or r.name = 'founder'
        or r.name = 'owner' and not exists (select 1 from {abilities} where name = 'feed-post'))`,
    here: `
      select distinct x.user_id as id, '' as value from user_roles x join role_abilities a on a.role_id = x.role_id
      where x.user_id ${HERE} and a.ability = 'feed-post'`,
  },
  {
    name: 'points of people',
    byUser: true,
    needs: ['users', 'currencies'],
    there: `
      select u.id, cast(min(c.sum) as char) as value from {users} u join {currencies} c on c.owner_id = u.id and c.type = 1
      where u.id ${BETWEEN} group by u.id having min(c.sum) > 0`,
    here: `
      select * from (
        select a.owner_id as id, (a.balance - coalesce((select sum(amount) from import_holds h
          where h.owner_id = a.owner_id and h.currency = a.currency and given_back), 0))::text as value
        from ledger_accounts a where a.owner_id ${HERE} and a.owner_id > 0 and a.currency = 'points'
      ) b where value <> '0'`,
  },
  {
    name: 'wallets of people',
    byUser: true,
    needs: ['users', 'wallet'],
    there: `
      select u.id, cast(min(w.balance) as char) as value from {users} u join {wallet} w on w.owner_id = u.id
      where u.id ${BETWEEN} group by u.id having min(w.balance) > 0`,
    here: `
      select * from (
        select a.owner_id as id, (a.balance - coalesce((select sum(amount) from import_holds h
            where h.owner_id = a.owner_id and h.currency = a.currency and given_back), 0)
          - coalesce((select sum(amount) from import_balances b
            where b.owner_id = a.owner_id and b.currency = a.currency and b.source = 'wallets'), 0))::text as value
        from ledger_accounts a where a.owner_id ${HERE} and a.owner_id > 0 and a.currency = 'wallet'
      ) b where value <> '0'`,
  },
  {
    name: 'older wallets, counted once',
    byUser: true,
    needs: ['wallets'],
    there: `select user_id as id, cast(balance as char) as value from {wallets} where user_id ${BETWEEN} and balance > 0`,
    here: `
      select owner_id as id, amount::text as value from import_balances
      where owner_id ${HERE} and source = 'wallets' and amount > 0`,
    of: 'pairs',
    atMost: true,
  },
  accounted('points of people, booked or reported', ['currencies'], 'points', {
    there: `
      select owner_id as id, cast(sum(\`sum\`) as char) as value from {currencies}
      where owner_id ${BETWEEN} and type = 1 group by owner_id having sum(\`sum\`) <> 0`,
  }),
  accounted('wallets of people, booked or reported', ['wallet'], 'wallet', {
    there: `
      select owner_id as id, cast(sum(balance) as char) as value from {wallet}
      where owner_id ${BETWEEN} group by owner_id having sum(balance) <> 0`,
  }),
  accounted('older wallets of people, booked or reported', ['wallets'], 'wallet', {
    there: `
      select user_id as id, cast(sum(balance) as char) as value from {wallets}
      where user_id ${BETWEEN} group by user_id having sum(balance) <> 0`,
  }),
  {
    name: 'money in escrow of people',
    byUser: true,
    needs: [
      ...['feed_pinneds', 'news_pinneds', 'group_pinneds', 'currency_orders', 'news', 'questions'],
      'question_application',
    ],
    there: `
      select id, cast(sum(amount) as char) as value from (
        ${[
          'select user_id as id, amount from {feed_pinneds} where expires_at is null',
          "select owner_id, amount from {currency_orders} where target_type = 'cash' and coalesce(state, 0) not in (1, -1)",
          'select user_id, amount from {news_pinneds} where coalesce(state, 0) not in (1, 2)',
          'select user_id, amount from {group_pinneds} where coalesce(status, 0) not in (1, 2)',
          'select user_id, contribute_amount from {news} where audit_status = 1 and deleted_at is null',
          'select user_id, amount from {questions} where amount > 0 and coalesce(status, 0) <> 1',
          'select user_id, amount from {question_application} where coalesce(status, 0) not in (1, 2)',
        ].join(' union all ')}
      ) w where id ${BETWEEN} group by id`,
    here: `
      select owner_id as id, sum(amount)::text as value from import_holds
      where owner_id ${HERE} and currency = 'points' and not given_back
        -- Fees of articles whose author the source lacks.
        and not (subject_type = 'news' and exists (
          select from import_notes n where n.source_table = 'news' and n.row_key = subject_id::text
            and n.source_column = 'user_id'))
      group by owner_id`,
    of: 'amounts',
    atMost: true,
  },
  waiting('pins of feeds that wait', 'feed_pinneds', 'expires_at is null'),
  waiting('pins of news that wait', 'news_pinneds', 'coalesce(state, 0) not in (1, 2)'),
  waiting('pins in groups that wait', 'group_pinneds', 'coalesce(status, 0) not in (1, 2)'),
  content('feeds that guests see', 'feeds', 'feeds', `${LIVE} and audit_status = 1`, LIVE),
  content('news that guests see', 'news', 'news', `${LIVE} and audit_status = 0`, 'and audit_status = 0'),
  {
    ...content(
      'groups that guests see',
      'groups',
      'groups',
      `${LIVE} and audit = 1 and mode = 'public'`,
      "and audit = 1 and mode = 'public'",
    ),
    atMost: true,
  },
  {
    name: 'members who run a group',
    needs: ['group_members'],
    there: `
      select id, '' as value from {group_members}
      where id ${BETWEEN} and role in ('administrator', 'founder') and audit = 1 and coalesce(disabled, 0) = 0`,
    here: `select id, '' as value from group_members where id ${HERE} and role = 'administrator'`,
    atMost: true,
  },
  {
    name: 'members of groups',
    needs: ['group_members'],
    there: `
      select group_id as id, user_id as value from {group_members}
      where group_id ${BETWEEN} and audit = 1 and coalesce(disabled, 0) = 0`,
    here: `
      select group_id as id, user_id::text as value from group_members
      where group_id ${HERE} and audit = 1 and not disabled and role <> 'founder'`,
    of: 'pairs',
    atMost: true,
  },
  {
    name: 'buyers of content',
    needs: ['paid_nodes', 'paid_node_users'],
    there: `
      select n.raw as id, concat(if(n.channel in ('feed', 'feeds'), 'feed', n.channel), ' ', b.user_id) as value
      from {paid_nodes} n join {paid_node_users} b on b.node_id = n.id where n.raw ${BETWEEN}`,
    here: `
      select n.raw as id, n.channel || ' ' || p.user_id as value from paid_nodes n
      join purchases p on p.node_id = n.id where n.raw ${HERE}`,
    of: 'pairs',
    atMost: true,
  },
  {
    name: 'people who administer',
    byUser: true,
    needs: ['users', 'roles', 'role_user'],
    there: `
      select u.id, '' as value from {users} u join {role_user} x on x.user_id = u.id
      join {roles} r on r.id = x.role_id left join {ability_role} l on l.role_id = r.id
      left join {abilities} a on a.id = l.ability_id
      where u.id ${BETWEEN} and (r.name = 'founder' or a.name like 'admin:%') group by u.id`,
    here: `
      select distinct x.user_id as id, '' as value from user_roles x join role_abilities a on a.role_id = x.role_id
      where x.user_id ${HERE} and a.ability like 'admin:%'`,
    atMost: true,
  },
  {
    name: 'named authors of questions',
    needs: ['questions'],
    there: `select id, user_id as value from {questions} where id ${BETWEEN} and anonymity = 0`,
    here: `select id, user_id::text as value from questions where id ${HERE} and not anonymity`,
    atMost: true,
  },
  content('reports', 'reports', 'reports'),
  ...ROWS,
]
