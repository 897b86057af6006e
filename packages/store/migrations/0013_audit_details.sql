-- What the audit says beside who changed what: where a refused key came from and why it was refused, and how often
-- something happened that is told once for many times.
alter table audit add column address text not null default '';
alter table audit add column detail text not null default '';
alter table audit add column times bigint not null default 1;
