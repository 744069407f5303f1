-- Names of the settings that a node was started with, so that the doctor notices when it runs with others.
alter table server_nodes add column settings text[] not null default '{}';
