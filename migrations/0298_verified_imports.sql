-- Run of the import after which `kith import verify` ended with *go*.
alter table imports add column verified_run integer;

-- Group of an import whose name, settings and members only the chat provider knows. Kith loads them before it changes
-- the group there.
alter table im_groups add column unloaded boolean not null default false;
update im_groups set unloaded = true
where provider = 'easemob' and version = 1 and synced_version = 1 and name like '群聊 %' and exists (select from imports);
create index im_groups_unloaded on im_groups (id) where unloaded;
