-- For the requests of each hour, without reading their bodies.
create index trigger_delivery_by_hour on trigger_delivery (tenant_id, trigger, received_at) include (outcome);
