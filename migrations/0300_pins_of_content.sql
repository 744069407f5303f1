-- Finds all pins of ended content, whose unread notifications are withdrawn. The earlier indexes find open pins only.
create index pins_of_content on pins (channel, thing_id, id);
create index pins_of_target on pins (channel, target_id, id);
