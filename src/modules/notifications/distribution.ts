/**
 * Tables that a Citus cluster distributes by `user_id`. No statement may join them with other tables
 * (docs/scaling.md).
 */
export const DISTRIBUTED = [
  'notification_cursors',
  'notifications',
  'notification_counts',
  'notification_reads',
  'pin_counters',
] as const

const [first, ...others] = DISTRIBUTED

/**
 * SQL script that distributes the tables over a Citus cluster. Operators run it with psql at the coordinator.
 */
export const DISTRIBUTION_SQL = `-- Distributes the notification tables by user. Run this script with psql at the coordinator after citus_add_node.
-- Before you run it, restart Kith with DATABASE_PLAN_CACHE_MODE=auto. Kith writes no notifications while the rows move.
create extension if not exists citus;
begin;
select create_distributed_table('${first}', 'user_id');
${others.map((table) => `select create_distributed_table('${table}', 'user_id', colocate_with => '${first}');`).join('\n')}
commit;
-- Frees the space of the moved rows at the coordinator.
${DISTRIBUTED.map((table) => `select truncate_local_data_after_distributing_table('${table}');`).join('\n')}
`
