-- Accounts of one person under several identity providers, which the person linked (docs/adr/0064). Those with the same
-- link are the same person.
alter table person
  add column link_id uuid,
  add column linked_at timestamptz;

create index person_by_link on person (tenant_id, link_id) where link_id is not null;
