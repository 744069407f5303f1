-- Running servers and workers, which health checks compare. Each renews its row, so that an old row is that of a node
-- which was killed. `store` names the place of its uploads.
create table server_nodes (
  id uuid primary key,
  host text not null,
  seen_at timestamptz not null default now(),
  connections integer not null,
  store text
);
