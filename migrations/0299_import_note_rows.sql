-- Lines of the report about one row. A hash has no limit of the length of keys.
create index import_notes_row on import_notes using hash (row_key);
