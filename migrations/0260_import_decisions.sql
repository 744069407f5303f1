-- Decisions of the import about unknown values that the operator has confirmed, by their rows.
alter table imports add column accepted jsonb not null default '{}';
