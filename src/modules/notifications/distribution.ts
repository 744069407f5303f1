/** Tables distributed by `user_id`. No statement joins them with others (docs/scaling.md). */
export const DISTRIBUTED = [
  'notification_cursors',
  'notifications',
  'notification_counts',
  'notification_reads',
  'pin_counters',
] as const

const [first, ...others] = DISTRIBUTED

/** The statements that distribute the tables over a Citus cluster, for psql at the coordinator. */
export const DISTRIBUTION_SQL = `-- Distributes the notifications of Kith by person. Run it with psql at the coordinator, once citus_add_node
-- has named the workers. Writes of notifications wait until it has moved the rows. Start Kith with
-- DATABASE_PLAN_CACHE_MODE=auto before.
create extension if not exists citus;
begin;
select create_distributed_table('${first}', 'user_id');
${others.map((table) => `select create_distributed_table('${table}', 'user_id', colocate_with => '${first}');`).join('\n')}
commit;
-- Frees what the coordinator held of them.
${DISTRIBUTED.map((table) => `select truncate_local_data_after_distributing_table('${table}');`).join('\n')}
`
