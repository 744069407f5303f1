-- Where people said that they are, by whom they want to be found nearby. Rounded to about a hundred metres before it is
-- stored: nobody needs to know the house.
create table user_places (
  user_id bigint primary key references users on delete cascade,
  longitude double precision not null,
  latitude double precision not null,
  -- The same place on a map on which a short way is equally long in every direction (lib/geo.ts), so that the index can
  -- walk from the nearest outwards.
  spot point not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_places_on_earth check (longitude between -180 and 180 and latitude between -90 and 90)
);
create index user_places_by_spot on user_places using gist (spot);
-- Places that are too old to be true are deleted.
create index user_places_by_age on user_places (updated_at);
