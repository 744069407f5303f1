-- Content of an import that uses an upload. The last step of a run attaches the upload to one of them.
create table import_claims (
  place text not null,
  place_id bigint not null,
  use_id bigint not null,
  channel text not null,
  raw bigint,
  primary key (place, place_id, use_id, channel)
);
create index import_claims_use on import_claims (use_id);

-- Earlier runs kept no claims, so the next run reads the tables that make them again.
update import_chunks set checksum = ''
where source_table in ('file_withs', 'news', 'certifications', 'questions', 'answers', 'group_posts');
