-- Requests of browsers from pages of the site, by whether they showed PUBLIC_URL, and those from a private address of a
-- proxy that TRUST_PROXY does not list. The origin and the proxy are examples of the minute.
alter table request_minutes
  add column own_address integer not null default 0,
  add column other_address integer not null default 0,
  add column other_origin text,
  add column untrusted_proxy integer not null default 0,
  add column proxy text;
