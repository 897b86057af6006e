-- What a list shows of an agent besides its other columns, so that a list does not read whole states. Null in rows that
-- were written before: there, the state has it.
alter table agent add column listed json;
