-- Pages that administrators write, such as terms and privacy. A page starts unpublished and without a text.
create table site_pages (
  id bigint generated always as identity primary key,
  -- Last part of the address /pages/:slug.
  slug text not null,
  is_published boolean not null default false,
  in_footer boolean not null default true,
  -- New users agree to these pages.
  at_sign_up boolean not null default false,
  place integer not null default 0,
  created_at timestamptz not null default now(),
  -- A deleted page stays, because users may have agreed to one of its versions.
  deleted_at timestamptz
);
create unique index site_pages_slug_taken on site_pages (slug) where deleted_at is null;
create index site_pages_published on site_pages (place, id) where is_published and deleted_at is null;

-- Append-only. The newest version of a language is the text in force. An empty body withdraws it.
create table site_page_versions (
  id bigint generated always as identity primary key,
  page_id bigint not null references site_pages (id),
  language text not null,
  title text not null,
  body text not null,
  -- The administrator who saved it.
  edited_by bigint,
  created_at timestamptz not null default now(),
  constraint site_page_versions_language check (language in ('en', 'zh'))
);
create index site_page_versions_of_page on site_page_versions (page_id, language, id desc);

-- Agreement of a user to a version of a page at the sign-up. At most one version of each page.
create table consents (
  user_id bigint not null,
  version_id bigint not null references site_page_versions (id),
  agreed_at timestamptz not null default now(),
  primary key (user_id, version_id)
);
create index consents_of_version on consents (version_id);

insert into site_pages (slug, in_footer, at_sign_up, place) values
  ('about', true, false, 1),
  ('terms', true, true, 2),
  ('privacy', true, true, 3),
  ('rules', true, false, 4),
  ('contact', true, false, 5);
