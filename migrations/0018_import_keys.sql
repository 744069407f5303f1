-- The id that a comment had in the file it was imported from; the same line imported again makes no second comment.
alter table comments add column external_id text;
create unique index comments_imported on comments (external_id) where external_id is not null;
