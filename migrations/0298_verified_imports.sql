-- Run of the import after which `kith import verify` ended with *go*.
alter table imports add column verified_run integer;
