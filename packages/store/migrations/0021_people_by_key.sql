-- Sessions and signing out know a person by their key (docs/adr/0061).
create index person_by_key on person (tenant_id, key_id);
