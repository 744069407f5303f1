-- Points and wallet money: one double-entry ledger, and the requests that wait for somebody's decision.

-- What people own. Platform accounts (escrow -1, income -2, issuance -3) have postings and no row here: every payment
-- would lock it, and the whole site would wait in one queue.
create table ledger_accounts (
  owner_id bigint not null,
  currency text not null,
  balance bigint not null default 0,
  -- Everything that ever came in and went out; their difference is the balance.
  income bigint not null default 0,
  expenses bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (owner_id, currency),
  constraint ledger_accounts_currency_known check (currency in ('points', 'wallet')),
  constraint ledger_accounts_of_people check (owner_id > 0),
  constraint ledger_accounts_not_negative check (balance >= 0),
  -- Amounts are JSON integers (decisions §2).
  constraint ledger_accounts_exact check (income <= 9007199254740991 and expenses <= 9007199254740991)
) with (fillfactor = 70);

create sequence ledger_transaction_ids;
-- Order ids of clients: of postings, and of recharges, which are orders before any money moved.
create sequence ledger_order_ids;

-- Both sides of every movement. The postings of a transaction sum to zero in each currency.
create table ledger_postings (
  owner_id bigint not null,
  currency text not null,
  id bigint not null default nextval('ledger_order_ids'),
  transaction_id bigint not null,
  amount bigint not null,
  -- What the person owned then. Null for platform accounts.
  balance_after bigint,
  -- The account on the other side.
  counterpart bigint not null,
  kind text not null,
  -- What was paid for, such as a pin or a purchase.
  subject_type text not null,
  subject_id bigint not null,
  -- Where the kind alone does not say it: the title of what was bought, the reason of an administrator.
  title text,
  body text,
  created_at timestamptz not null default now(),
  primary key (owner_id, currency, id),
  constraint ledger_postings_move check (amount <> 0),
  constraint ledger_postings_other_side check (counterpart <> owner_id),
  -- An account that is opened by being charged has no balance to tell.
  constraint ledger_postings_funded check ((owner_id > 0) = (balance_after is not null))
);

-- Written once: a repair needs a superuser and leaves a trace of its own.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or deleted', tg_table_name;
end $$;
create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_ledger_change();

-- A statement writes a transaction whole, so what it wrote has to sum to zero.
create function refuse_unbalanced_postings() returns trigger language plpgsql as $$
begin
  if exists (select from written group by transaction_id, currency having sum(amount) <> 0) then
    raise exception 'the postings of a transaction do not sum to zero'
      using errcode = 'check_violation', constraint = 'ledger_postings_balanced', table = 'ledger_postings';
  end if;
  return null;
end $$;
create trigger ledger_postings_balanced after insert on ledger_postings
  referencing new table as written for each statement execute function refuse_unbalanced_postings();

-- Sums of platform accounts up to an order id below which nothing can be written any more.
create table ledger_checkpoints (
  owner_id bigint not null,
  currency text not null,
  posting_id bigint not null,
  balance numeric not null,
  created_at timestamptz not null default now(),
  primary key (owner_id, currency)
);

-- Money that somebody says to have paid, or is about to. `id` is the order id that its client asks by.
create table recharges (
  id bigint primary key default nextval('ledger_order_ids'),
  owner_id bigint not null,
  currency text not null,
  provider text not null,
  -- Paid in fen, and what is credited for it in `currency`.
  amount bigint not null,
  credited bigint not null,
  state text not null default 'pending',
  -- The provider's own number of the payment: none is credited twice.
  reference text,
  remark text,
  decided_by bigint,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint recharges_state_known check (state in ('pending', 'confirmed', 'rejected')),
  constraint recharges_confirmed check ((state = 'confirmed') = (reference is not null)),
  constraint recharges_amounts check (amount > 0 and credited > 0)
);
create unique index recharges_reference_used on recharges (provider, reference) where reference is not null;
create index recharges_of_owner on recharges (owner_id, currency, id desc);
create index recharges_by_state on recharges (state, id desc);

-- Money or points on their way out: taken at once, held in escrow until an administrator decides.
create table withdrawals (
  id bigint generated by default as identity primary key,
  owner_id bigint not null,
  -- What is taken: wallet money that is paid out, or points that become wallet money.
  currency text not null,
  amount bigint not null,
  -- What is paid for it, in fen.
  payout bigint not null,
  -- How it is to be paid: the kind of account and its name. Null for points.
  type text,
  account text,
  state text not null default 'pending',
  remark text,
  decided_by bigint,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint withdrawals_state_known check (state in ('pending', 'passed', 'rejected')),
  constraint withdrawals_amounts check (amount > 0 and payout > 0),
  constraint withdrawals_addressed check (
    currency = 'points' or (currency = 'wallet' and num_nulls(type, account) = 0 and payout = amount))
);
create index withdrawals_of_owner on withdrawals (owner_id, currency, id desc);
create index withdrawals_by_state on withdrawals (state, id desc);

-- The answers of requests that carried an Idempotency-Key, written in the transaction of what they answer.
create table idempotency_keys (
  user_id bigint not null,
  key text not null,
  -- Method and path: with the person and the key they name the request.
  operation text not null,
  -- Keyed hash of the body, which may hold a password.
  fingerprint text not null,
  status smallint not null,
  response json,
  created_at timestamptz not null default now(),
  primary key (user_id, key, operation)
);
create index idempotency_keys_old on idempotency_keys (created_at);
