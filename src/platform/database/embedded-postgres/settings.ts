import { open } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'

const megabyte = 1024 * 1024

export function defaultSettings(memory = availableMemory()): Record<string, string> {
  const total = Math.floor(memory / megabyte)
  const clamp = (value: number, low: number, high: number) =>
    `${Math.max(low, Math.min(high, Math.floor(value)))}MB`
  return {
    max_connections: '100',
    shared_buffers: clamp(total / 8, 32, 512),
    effective_cache_size: clamp(total / 2, 128, 65_536),
    work_mem: clamp(total / 256, 4, 32),
    maintenance_work_mem: clamp(total / 16, 32, 256),
    random_page_cost: '1.1',
    effective_io_concurrency: '16',
    jit: 'off',
    // A parallel worker costs more than it saves, because queries return few rows and the machine has few
    // cores.
    max_parallel_workers_per_gather: '0',
    fsync: 'on',
    synchronous_commit: 'on',
    wal_compression: 'on',
    checkpoint_timeout: '10min',
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.02',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // Logs no ERROR, because constraint violations are expected and failed statements contain personal data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    cluster_name: 'kith',
  }
}

/**
 * Rewrites the configuration at every start, so that an upgrade changes the defaults. Writes outside the
 * cluster, because inside it the database's OS user could plant a symbolic link that root would follow.
 */
export async function writeSettings(folder: string, settings: Record<string, string>): Promise<string[]> {
  const head = '# Written at every start. Put your own settings into local.conf in this folder.'
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
  const [configuration, access] = [join(folder, 'postgresql.conf'), join(folder, 'pg_hba.conf')]
  await writeReadable(configuration, [head, ...lines, "include = 'local.conf'"], 'w')
  await writeReadable(access, ['# Written at every start.', 'local all all trust'], 'w')
  await writeReadable(join(folder, 'local.conf'), [], 'a')
  return ['-c', `config_file=${configuration}`, '-c', `hba_file=${access}`]
}

/** Makes the file readable for the OS user of the database, which may differ from that of the server. */
async function writeReadable(path: string, lines: string[], flag: 'w' | 'a'): Promise<void> {
  await using file = await open(path, flag)
  await file.writeFile(lines.map((line) => `${line}\n`).join(''))
  await file.chmod(0o644)
}

function availableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
