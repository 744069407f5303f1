-- Where an area lies, as administrators set it, so that addresses can be found without a service outside.
alter table areas
  add column longitude double precision,
  add column latitude double precision,
  add constraint areas_on_earth check (
    (longitude is null) = (latitude is null) and longitude between -180 and 180 and latitude between -90 and 90
  );
create index areas_placed on areas (id) where longitude is not null;
