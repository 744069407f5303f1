-- Mails that administrators changed. A mail without a row has its original text, and so has a null part.
create table mail_texts (
  -- Name of the mail in the catalogue of src/modules/accounts/mails.
  mail text primary key,
  languages text not null default 'both',
  subject_en text,
  text_en text,
  subject_zh text,
  text_zh text,
  updated_at timestamptz not null default now(),
  constraint mail_texts_languages check (languages in ('both', 'en', 'zh'))
);
