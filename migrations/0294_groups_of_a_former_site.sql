-- An import knows the ids of chat groups, but only the chat provider knows their names and members. Kith reads them from
-- there before it changes the group, when `provider` is the configured provider.
alter table im_groups add column awaits_provider boolean not null default false;
update im_groups set awaits_provider = true
where provider = 'easemob' and version = 1 and synced_version = 1 and name = '群聊 ' || provider_id;
create index im_groups_awaiting on im_groups (id) where awaits_provider;
