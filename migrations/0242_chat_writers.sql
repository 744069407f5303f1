-- Members who have sent a message. Only they show their presence to people whom they do not know.
alter table chat_members add column has_written boolean not null default false;
update chat_members m set has_written = true
from (select distinct chat_id, sender_id from chat_messages where sender_id is not null) w
where m.chat_id = w.chat_id and m.user_id = w.sender_id;
