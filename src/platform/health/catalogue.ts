/** One language of a diagnosis: what is wrong, and what to do. */
type Words = readonly [sentence: string, remedy: string]

type Entry = { state: 'warning' | 'failing'; en: Words; zh: Words }

const failing = (en: Words, zh: Words): Entry => ({ state: 'failing', en, zh })
const warning = (en: Words, zh: Words): Entry => ({ state: 'warning', en, zh })

/**
 * Every known fault of a service, an address or a promise. Doctor, console and alerts read it, and `{name}` is a detail
 * of the fault. The codes are stored, so an entry can change its words but not its code.
 */
export const CATALOGUE = {
  host_unknown: failing(
    ['There is no host {host}.', 'Correct the host in {setting}.'],
    ['主机 {host} 不存在。', '请更正 {setting} 中的主机名。'],
  ),
  name_service: failing(
    [
      'The name {host} cannot be looked up at the moment.',
      'Check the name service of this machine, then {setting}.',
    ],
    ['目前无法解析域名 {host}。', '请检查本机的域名解析，然后检查 {setting}。'],
  ),
  port_closed: failing(
    ['Nothing listens at {address}.', 'Start the service there, or correct {setting}.'],
    ['{address} 没有服务在监听。', '请启动该服务，或更正 {setting}。'],
  ),
  no_reply: failing(
    [
      '{address} does not answer in time.',
      'Check the firewall between both machines and the load of the service, or correct {setting}.',
    ],
    ['{address} 没有及时响应。', '请检查两台机器之间的防火墙与该服务的负载，或更正 {setting}。'],
  ),
  unreachable: failing(
    ['{address} cannot be reached from this machine.', 'Check the network, or correct {setting}.'],
    ['本机无法到达 {address}。', '请检查网络，或更正 {setting}。'],
  ),
  connection_broken: failing(
    [
      '{address} closes the connection without an answer.',
      'Check that {setting} names the port of this service, and whether that port expects TLS.',
    ],
    ['{address} 未作响应就关闭了连接。', '请检查 {setting} 的端口是否属于该服务，以及该端口是否要求 TLS。'],
  ),
  tls_mismatch: failing(
    [
      '{address} does not speak TLS, which {setting} asks for.',
      'Use the port for TLS, or the scheme without TLS, in {setting}.',
    ],
    [
      '{address} 不使用 TLS，而 {setting} 要求 TLS。',
      '请在 {setting} 中使用 TLS 端口，或使用不带 TLS 的协议。',
    ],
  ),
  certificate_expired: failing(
    ['The certificate of {address} has expired.', 'Renew it on that machine.'],
    ['{address} 的证书已过期。', '请在该机器上更新证书。'],
  ),
  certificate_unknown: failing(
    [
      'The certificate of {address} is signed by no authority that this machine trusts.',
      'Install the full chain there, or name its authority with NODE_EXTRA_CA_CERTS.',
    ],
    [
      '{address} 的证书不是由本机信任的机构签发的。',
      '请在该处安装完整证书链，或用 NODE_EXTRA_CA_CERTS 指定签发机构。',
    ],
  ),
  certificate_other_host: failing(
    [
      'The certificate of {address} was issued for another host.',
      'Use a host name of the certificate in {setting}, or issue one for this host.',
    ],
    ['{address} 的证书属于其他主机。', '请在 {setting} 中使用证书所含的主机名，或为该主机签发证书。'],
  ),
  bucket_missing: failing(
    ['The object store at {address} has no bucket {bucket}.', 'Create it, or correct {setting}.'],
    ['{address} 的对象存储中没有存储桶 {bucket}。', '请创建该存储桶，或更正 {setting}。'],
  ),
  bucket_key: failing(
    [
      'The object store at {address} does not know the key.',
      'Correct S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    ],
    ['{address} 的对象存储不接受该密钥。', '请更正 S3_ACCESS_KEY_ID 与 S3_SECRET_ACCESS_KEY。'],
  ),
  bucket_denied: failing(
    [
      'The key may not use the bucket {bucket} at {address}.',
      'Allow it to list the bucket, and to read, write and delete its objects.',
    ],
    ['该密钥无权使用 {address} 的存储桶 {bucket}。', '请允许该密钥列出存储桶，并读取、写入与删除对象。'],
  ),
  bucket_region: failing(
    ['The bucket {bucket} is in another region.', 'Correct S3_REGION, and S3_ENDPOINT if it names a region.'],
    ['存储桶 {bucket} 位于其他区域。', '请更正 S3_REGION；如果 S3_ENDPOINT 含有区域，也请更正。'],
  ),
  bucket_clock: failing(
    ['The clock of this machine differs too much from that of the object store.', 'Synchronize it with NTP.'],
    ['本机时钟与对象存储相差太大。', '请使用 NTP 同步时钟。'],
  ),
  bucket_answer: failing(
    [
      'The object store at {address} refuses a request ({reason}).',
      'Check that {setting} is the address of its S3 interface, and look {reason} up in its manual.',
    ],
    [
      '{address} 的对象存储拒绝了请求（{reason}）。',
      '请检查 {setting} 是否为其 S3 接口的地址，并在其手册中查找 {reason}。',
    ],
  ),
  disk_full: failing(
    ['No space is left on the disk of {path}.', 'Free some space, or enlarge the disk.'],
    ['{path} 所在磁盘没有剩余空间。', '请释放空间，或扩大磁盘。'],
  ),
  disk_low: warning(
    ['Only {free} are left on the disk of {path}.', 'Free some space, or enlarge the disk.'],
    ['{path} 所在磁盘仅剩 {free}。', '请释放空间，或扩大磁盘。'],
  ),
  disk_denied: failing(
    ['This user may not write to {path}.', 'Make the user of the server its owner.'],
    ['当前用户无权写入 {path}。', '请将其所有者改为运行服务器的用户。'],
  ),
  disk_no_folder: failing(
    ['{path} is a file, or its path contains one.', 'Name a folder instead.'],
    ['{path} 是文件，或其路径包含文件。', '请改用文件夹。'],
  ),
  disk_read_only: failing(
    ['The disk of {path} is read-only.', 'Mount it for writing.'],
    ['{path} 所在磁盘为只读。', '请以可写方式挂载。'],
  ),
  uploads_apart: failing(
    [
      'The servers {nodes} store uploads in different places, so each lacks the files of the others.',
      'Share one DATA_DIR between them, or use STORAGE=s3 with the same bucket on all.',
    ],
    [
      '服务器 {nodes} 把上传文件存放在不同位置，因此各自缺少其他服务器的文件。',
      '请让它们共用同一个 DATA_DIR，或全部使用 STORAGE=s3 与同一存储桶。',
    ],
  ),
  mail_needs_tls: failing(
    [
      '{address} sends no greeting, as servers that expect TLS from the first byte.',
      'Begin SMTP_URL with smtps://, or use port 587.',
    ],
    [
      '{address} 不发送问候，像是要求从第一个字节起使用 TLS。',
      '请以 smtps:// 开头书写 SMTP_URL，或使用 587 端口。',
    ],
  ),
  mail_password: failing(
    ['The mail server {address} refuses the user or the password.', 'Correct both in SMTP_URL.'],
    ['邮件服务器 {address} 拒绝了用户名或密码。', '请更正 SMTP_URL 中的用户名与密码。'],
  ),
  mail_sender: failing(
    [
      'The mail server {address} refuses {sender} as the sender ({reason}).',
      'Set MAIL_FROM to an address that this account may use.',
    ],
    ['邮件服务器 {address} 拒绝发件人 {sender}（{reason}）。', '请将 MAIL_FROM 设为该账户可以使用的地址。'],
  ),
  mail_answer: failing(
    ['The mail server {address} answers {reason}.', 'Look this answer up in the manual of the mail server.'],
    ['邮件服务器 {address} 响应 {reason}。', '请在邮件服务器的手册中查找该响应。'],
  ),
  redis_password: failing(
    ['Redis at {address} refuses the user or the password.', 'Correct both in REDIS_URL.'],
    ['{address} 的 Redis 拒绝了用户名或密码。', '请更正 REDIS_URL 中的用户名与密码。'],
  ),
  redis_read_only: failing(
    ['Redis at {address} is a read-only replica.', 'Name its primary in REDIS_URL.'],
    ['{address} 的 Redis 是只读副本。', '请在 REDIS_URL 中填写其主节点。'],
  ),
  redis_answer: failing(
    [
      'Redis at {address} answers {reason}.',
      'Check that REDIS_URL is the address of a Redis server; until then each node counts rate limits for itself.',
    ],
    [
      '{address} 的 Redis 响应 {reason}。',
      '请检查 REDIS_URL 是否为 Redis 的地址；在此之前各节点分别计算频率限制。',
    ],
  ),
  database_replica: failing(
    ['The database is a read-only replica.', 'Name its primary in DATABASE_URL.'],
    ['该数据库是只读副本。', '请在 DATABASE_URL 中填写其主节点。'],
  ),
  database_old: failing(
    ['PostgreSQL {version} is too old.', 'Upgrade it to {oldest} or later.'],
    ['PostgreSQL {version} 版本过低。', '请升级到 {oldest} 或更高版本。'],
  ),
  database_rights: warning(
    [
      'The user of the database may not create tables, so the next upgrade will fail.',
      'Make it the owner of the database.',
    ],
    ['数据库用户无权创建数据表，下次升级将会失败。', '请将其设为数据库的所有者。'],
  ),
  database_connections: warning(
    [
      '{used} of {most} connections of the database are in use.',
      'Raise max_connections, or lower DATABASE_POOL_SIZE or PROCESSES.',
    ],
    [
      '数据库的 {most} 个连接已使用 {used} 个。',
      '请提高 max_connections，或降低 DATABASE_POOL_SIZE 或 PROCESSES。',
    ],
  ),
  database_pools: warning(
    [
      'All servers together may open {planned} connections, but the database accepts {most}.',
      'Raise max_connections, lower DATABASE_POOL_SIZE or PROCESSES, or use PgBouncer (docs/scaling.md).',
    ],
    [
      '所有服务器最多会打开 {planned} 个连接，而数据库只接受 {most} 个。',
      '请提高 max_connections，降低 DATABASE_POOL_SIZE 或 PROCESSES，或使用 PgBouncer（docs/scaling.md）。',
    ],
  ),
  database_lag: warning(
    [
      'The replica {replica} is {seconds} seconds behind.',
      'Check its load and network. The server does not read from it meanwhile.',
    ],
    ['副本 {replica} 落后 {seconds} 秒。', '请检查其负载与网络；在此期间服务器不从该副本读取。'],
  ),
  database_busy: warning(
    [
      'Requests wait for a connection to the database.',
      'Look for slow statements, or raise DATABASE_POOL_SIZE.',
    ],
    ['有请求在等待数据库连接。', '请查找慢语句，或提高 DATABASE_POOL_SIZE。'],
  ),
  replica_answer: failing(
    ['The replica {address} cannot be used: {reason}.', 'Correct DATABASE_REPLICA_URLS.'],
    ['副本 {address} 无法使用：{reason}。', '请更正 DATABASE_REPLICA_URLS。'],
  ),
  replica_primary: failing(
    ['{address} accepts writes, so it is no replica.', 'Name a streaming replica in DATABASE_REPLICA_URLS.'],
    ['{address} 接受写入，因此不是副本。', '请在 DATABASE_REPLICA_URLS 中填写流复制副本。'],
  ),
  replica_other: failing(
    [
      '{address} is a replica of another database.',
      'Name replicas of the database of DATABASE_URL in DATABASE_REPLICA_URLS.',
    ],
    ['{address} 是另一个数据库的副本。', '请在 DATABASE_REPLICA_URLS 中填写 DATABASE_URL 所指数据库的副本。'],
  ),
  address_other_site: failing(
    [
      '{address} answers, but not as this site.',
      'Correct PUBLIC_URL, or the target of the proxy that serves it.',
    ],
    ['{address} 有响应，但不是本站点。', '请更正 PUBLIC_URL，或更正提供该地址的反向代理的目标。'],
  ),
  address_status: failing(
    [
      '{address} answers with status {status}.',
      'Look into the log of the proxy that serves PUBLIC_URL. Its target is the HOST and PORT of this server.',
    ],
    [
      '{address} 返回状态码 {status}。',
      '请查看提供 PUBLIC_URL 的反向代理的日志；其目标为本服务器的 HOST 与 PORT。',
    ],
  ),
  address_redirects: failing(
    ['{address} redirects to {location}.', 'Set PUBLIC_URL to the address after the redirect.'],
    ['{address} 重定向到 {location}。', '请将 PUBLIC_URL 设为重定向后的地址。'],
  ),
  address_plain: warning(
    [
      'PUBLIC_URL begins with http://, so passwords and messages cross the network in the clear.',
      'Terminate TLS at a proxy, and begin PUBLIC_URL with https://.',
    ],
    [
      'PUBLIC_URL 以 http:// 开头，密码与消息以明文传输。',
      '请在反向代理终止 TLS，并以 https:// 开头书写 PUBLIC_URL。',
    ],
  ),
  address_other: warning(
    [
      'Browsers use {origin}, but PUBLIC_URL is {expected}. Links, sign-in and mails lead to the latter.',
      'Set PUBLIC_URL to the address that members use, or redirect one to the other at the proxy.',
    ],
    [
      '浏览器使用 {origin}，而 PUBLIC_URL 为 {expected}；链接、登录与邮件都指向后者。',
      '请将 PUBLIC_URL 设为成员使用的地址，或在反向代理将其中一个重定向到另一个。',
    ],
  ),
  certificate_ends: warning(
    [
      'The certificate of {address} ends on {date}.',
      'Renew it, and check why the automatic renewal did not.',
    ],
    ['{address} 的证书将于 {date} 到期。', '请更新证书，并检查自动更新为何没有运行。'],
  ),
  proxy_untrusted: warning(
    [
      'Requests come through the proxy {proxy}, which TRUST_PROXY does not list, so all visitors share its rate limit.',
      'Add {proxy} to TRUST_PROXY.',
    ],
    [
      '请求经过反向代理 {proxy}，但 TRUST_PROXY 未列出它，因此所有访客共用它的频率限制。',
      '请将 {proxy} 加入 TRUST_PROXY。',
    ],
  ),
  proxy_limit: warning(
    [
      '{address} refuses uploads of {size}, which MAX_UPLOAD_BYTES allows.',
      'Raise the limit of the proxy (client_max_body_size of nginx), or lower MAX_UPLOAD_BYTES.',
    ],
    [
      '{address} 拒绝 {size} 的上传，而 MAX_UPLOAD_BYTES 允许。',
      '请提高反向代理的限制（nginx 的 client_max_body_size），或降低 MAX_UPLOAD_BYTES。',
    ],
  ),
  backup_missing: warning(
    ['No backup has been made yet.', 'Wait for BACKUP_AT, or run kith backup.'],
    ['尚未进行过备份。', '请等待 BACKUP_AT 的时间，或运行 kith backup。'],
  ),
  backup_nowhere: warning(
    [
      '{settings} is set, but BACKUP_TO is not, so no backup is made.',
      'Set BACKUP_TO, or remove {settings}.',
    ],
    ['已设置 {settings}，但未设置 BACKUP_TO，因此不会备份。', '请设置 BACKUP_TO，或移除 {settings}。'],
  ),
  backup_unusable: failing(
    [
      'The backup {place} cannot be restored: {reason}.',
      'Make a new backup at once with kith backup, and check it with kith backup --check.',
    ],
    ['备份 {place} 无法恢复：{reason}。', '请立即用 kith backup 重新备份，并用 kith backup --check 检查。'],
  ),
  backup_unchecked: warning(
    ['No backup has been checked for over a week.', 'Check that a worker is running, and its log.'],
    ['已超过一周没有检查备份。', '请检查工作进程是否在运行，并查看其日志。'],
  ),
  backup_late: warning(
    ['The newest backup is older than BACKUP_AT promises.', 'Check that a worker is running, and its log.'],
    ['最近的备份早于 BACKUP_AT 的计划。', '请检查工作进程是否在运行，并查看其日志。'],
  ),
  backup_failed: failing(
    ['The last backup failed: {reason}.', 'Correct BACKUP_TO, or free space there, then run kith backup.'],
    ['上次备份失败：{reason}。', '请更正 BACKUP_TO 或释放空间，然后运行 kith backup。'],
  ),
  jobs_late: failing(
    ['Due jobs are not worked on.', 'Start a worker, or restart the server.'],
    ['到期的任务没有执行。', '请启动工作进程，或重启服务器。'],
  ),
  jobs_failed: warning(
    [
      'Jobs failed permanently.',
      'Look into the log, correct the cause, and delete them with kith doctor --mend.',
    ],
    ['有任务最终失败。', '请查看日志并排除原因，然后用 kith doctor --mend 删除这些任务。'],
  ),
  schedules_stopped: failing(
    ['No schedule has run since then.', 'Restart the worker.'],
    ['此后没有计划任务运行。', '请重启工作进程。'],
  ),
  clock_differs: warning(
    ['The clocks of the machines differ.', 'Synchronize all machines with NTP.'],
    ['各机器的时钟不一致。', '请使用 NTP 同步所有机器的时钟。'],
  ),
  writes_fail: failing(
    ['Writes fail while reads succeed.', 'Check the disk of the database and its synchronous standby.'],
    ['可以读取，但写入失败。', '请检查数据库的磁盘及其同步备库。'],
  ),
  check_timeout: failing(
    [
      'The check got no reply within {seconds} seconds.',
      'Check the load of this service and the network to it, or correct {settings}.',
    ],
    ['检查在 {seconds} 秒内没有收到响应。', '请检查该服务的负载与到它的网络，或更正 {settings}。'],
  ),
  service_answer: failing(['{reason}.', 'Correct {settings}.'], ['{reason}。', '请更正 {settings}。']),
} satisfies Record<string, Entry>

export type FaultCode = keyof typeof CATALOGUE

export type Details = Readonly<Record<string, string | number>>
