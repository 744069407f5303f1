-- Whether people who have somebody's number in their address book find them by it (sign-in-17).
alter table users add column found_by_phone boolean not null default true;
