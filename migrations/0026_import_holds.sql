-- What waited for a decision in the source when it was last read, and was paid already: the last step of a run puts it
-- into escrow here, or gives it back.
create table import_holds (
  subject_type text not null,
  subject_id bigint not null,
  owner_id bigint not null,
  currency text not null,
  amount bigint not null,
  -- The kinds of movements into escrow and back.
  kind text not null,
  refund_kind text not null,
  -- Given back instead of waiting here too.
  given_back boolean not null,
  primary key (subject_type, subject_id)
);
