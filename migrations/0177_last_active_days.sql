-- The last day on which a person was active. Counts distinct people of a period up to today, without a row a day
-- each. Earlier activity is known of the days that active_people still holds only.
create table last_active_days (
  user_id bigint primary key,
  last_day date not null
);
create index last_active_days_by_day on last_active_days (last_day);
insert into last_active_days (user_id, last_day) select user_id, max(day) from active_people group by user_id;
