-- Keeps a 422 under its idempotency key too (conventions-28), with the code for X-Error-Code. Null for a success.
alter table idempotency_keys add column refusal_code text;
