-- The provider lets nobody in whose account is disabled here.

-- Whether the account may be locked at the provider: true from before it is told to lock it until it has unlocked it.
-- Whether it should be is up to users.deleted_at.
alter table im_accounts add column locked boolean not null default false;

alter table im_embedded_accounts add column locked boolean not null default false;

-- Those who are disabled already.
update im_accounts a set version = version + 1 from users u where u.id = a.user_id and u.deleted_at is not null;
