-- Signing keys that replaced another: what they replaced is deleted once it is no longer valid. Few integrations and
-- triggers ever get a second key, and only these are in the index.
create index sealed_value_replacing on sealed_value (created_at)
  where version > 1 and kind in ('integration', 'trigger');
