-- Proofs of accounts outside that signed somebody in or linked an account: each counts once (sign-in-25). The digest is
-- of what was sealed, because the sealed text has several spellings.
create table used_link_proofs (
  digest bytea primary key,
  -- When the proof ends by itself, after which its row is deleted.
  expires_at timestamptz not null
);
create index used_link_proofs_expired on used_link_proofs (expires_at);

-- The last sign-in with the account, so that its owner sees one that they do not know; null before the first.
alter table linked_accounts add column used_at timestamptz;
