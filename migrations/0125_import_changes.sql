-- A line of the report about a changed value names the column and both values, as JSON: a text of PostgreSQL holds no NUL.
alter table import_notes
  add column source_column text,
  add column was text,
  add column became text;

-- The role `disabler` no longer locks unless the operator asks for it. An open move reads people again and unlocks them.
update imports set options = options || '{"lockDisablers": false}' where closed_at is null;
delete from import_chunks where source_table = 'users' and exists (select from imports where closed_at is null);
