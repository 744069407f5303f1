-- Requests to join that were decided or taken back, by when: old ones are deleted every night.

create index group_member_logs_old on group_member_logs (audit_at) where status <> 0;
