-- Pictures of the site, drawn from the uploads that administrators chose for the settings site:logo, site:icon and
-- site:picture. They are copies, because an upload belongs to a person and is deleted with the account. At most ten rows
-- of some hundred kilobytes exist, so they are stored here, where backups and all nodes find them.
create table site_pictures (
  -- File name in the address, such as icon-192.png.
  file text primary key,
  -- Setting whose change replaces the picture.
  setting text not null,
  mime text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null
);
create index site_pictures_of_setting on site_pictures (setting);
