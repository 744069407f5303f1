-- A site that has members was set up before the console had its first steps.
insert into settings (name, value)
select 'site:setup', '["closed"]' where (select count(*) from users) > 1
on conflict (name) do nothing;
