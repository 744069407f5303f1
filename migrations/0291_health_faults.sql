-- The fault in the catalogue of src/platform/health, with its details. Null for an error that the catalogue does not
-- know, such as the answer of a payment provider.
alter table health_checks
  add column code text,
  add column details jsonb,
  -- Does not tie the code to the fault, because a server of the previous version clears only the fault.
  add constraint health_checks_known check ((code is null) = (details is null));
