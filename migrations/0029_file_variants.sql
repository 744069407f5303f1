-- Pictures in other sizes, kept in the store within a budget of bytes. Each can be made again at any time.
create table file_variants (
  storage_key text primary key,
  -- Of the file or node it was made from, with which it goes.
  source_key text not null,
  mime text not null,
  size bigint not null,
  -- To within a day: those that nobody asked for longest go first.
  used_at timestamptz not null default now()
);
create index file_variants_source on file_variants (source_key);
create index file_variants_used on file_variants (used_at) include (size);
