-- Tenants move from one cell to another (docs/adr/0074).

alter table tenant
  -- The same in both cells. Kept when the move is over.
  add column move_id uuid,
  -- Where it is left: copying, draining, leaving, frozen, then moved. Where it goes to: arriving. Null if no move is under way.
  add column move_step text,
  -- The other cell.
  add column move_cell text,
  -- Whether operators had suspended it before.
  add column move_suspended_at timestamptz;

create index tenant_moving on tenant (id) where move_step is not null;
