-- Check-ins and the rankings of today follow the time zone of the site. A function spares each statement the
-- parameter, and every process, node and replica reads the same value.
create function site_time_zone() returns text language sql stable parallel safe
  return coalesce((select value #>> '{}' from settings where name = 'site:time-zone'), 'UTC');

create function site_day() returns date language sql stable parallel safe
  return (now() at time zone site_time_zone())::date;

create function site_day_start() returns timestamptz language sql stable parallel safe
  return date_trunc('day', now(), site_time_zone());
