-- What tells whether the secret that the server has is the one that values in this database were sealed with.
create table secret_checks (
  -- What is checked, so that there is one of each.
  name text primary key,
  -- A signature made with the secret; the secret does not follow from it.
  value text not null
);
