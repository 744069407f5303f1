-- Whether stored bytes have a row is asked for every one of them once a week.

create index files_by_key on files (storage_key);
create index import_pictures_by_node on import_pictures (node);
