-- Links audit records to a hash chain. A trigger hashes the content of each record when it is written, by the
-- previous release too. A job links records in batches afterwards, so that writers never wait for each other.
create table audit_links (
  entry_id bigint primary key constraint audit_links_entry references audit_log,
  -- Keeps the hash of erased content from being guessed. Deleted with the content.
  content_salt uuid,
  content_hash bytea not null,
  chain_position bigint constraint audit_links_one_each unique,
  chain_hash bytea,
  constraint audit_links_linked check ((chain_position is null) = (chain_hash is null))
);
create index audit_links_waiting on audit_links (entry_id) where chain_position is null;

create function audit_content_hash(salt uuid, before jsonb, after jsonb) returns bytea language sql immutable as $$
  select sha256(uuid_send(salt) || convert_to(jsonb_build_array(before, after)::text, 'UTF8'))
$$;

create function hash_audit_content() returns trigger language plpgsql as $$
declare salt uuid := gen_random_uuid();
begin
  insert into audit_links (entry_id, content_salt, content_hash)
  values (new.id, salt, audit_content_hash(salt, new.before, new.after));
  return null;
end $$;
create trigger audit_log_hash after insert on audit_log for each row execute function hash_audit_content();

-- Locks out writers from here until the end of the migration, so that no record is missed.
insert into audit_links (entry_id, content_salt, content_hash)
select id, salt, audit_content_hash(salt, before, after)
from (select id, before, after, gen_random_uuid() as salt from audit_log offset 0) as records;

-- The erasure of a person removes the content of records about them, and nothing else changes.
alter table audit_log add column content_redacted_at timestamptz;
create function refuse_all_but_redaction() returns trigger language plpgsql as $$
begin
  if new.before is null and new.after is null and new.content_redacted_at is not null
    and (new.id, new.user_id, new.action, new.subject_type, new.subject_id, new.request_id, new.created_at)
      is not distinct from
      (old.id, old.user_id, old.action, old.subject_type, old.subject_id, old.request_id, old.created_at)
  then return new; end if;
  raise exception 'rows of % are never changed or deleted', tg_table_name;
end $$;
drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before delete or truncate on audit_log
  for each statement execute function refuse_change();
create trigger audit_log_redaction_only before update on audit_log
  for each row execute function refuse_all_but_redaction();
