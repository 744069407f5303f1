-- Last position of the conversation when the member joined. A member sees later messages only. A position needs no
-- comparison of clocks.
alter table im_group_members add column start_position bigint not null default 0;
update im_group_members m set start_position = coalesce((
  select e.position from chats c join chat_messages e on e.chat_id = c.id
  where c.group_id = m.group_id and e.created_at < m.joined_at order by e.created_at desc limit 1), 0);

create function set_start_position() returns trigger language plpgsql as $$
begin
  new.start_position := coalesce((select last_position from chats where group_id = new.group_id), 0);
  return new;
end $$;
create trigger im_group_members_start before insert on im_group_members
  for each row execute function set_start_position();
