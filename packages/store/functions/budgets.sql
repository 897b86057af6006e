-- The budgets that an agent spends from (docs/adr/0063).
create or replace function budgets_of(
  tenant uuid, its_workspace text, its_provider text, its_account text, its_labels jsonb
) returns setof budget
language sql stable
as $$
  select b.* from budget b
  where b.tenant_id = tenant and case b.scope
    when 'team' then b.subject = (
      select t.team from workspace_team t where t.tenant_id = tenant and t.workspace = its_workspace)
    when 'account' then b.subject = its_provider || '/' || its_account
    when 'label' then its_labels ->> b.subject = b.label_value
    else true
  end
  order by b.name;
$$;

grant execute on function budgets_of(uuid, text, text, text, jsonb) to skein_server;

-- The labels that an agent spends under: its own and those of the root of its tree, so that children count too.
create or replace function labels_in_tree(tenant uuid, its_root text, its_labels jsonb) returns jsonb
language sql stable
as $$
  select coalesce((select r.labels from agent r where r.tenant_id = tenant and r.key = its_root), '{}') || its_labels;
$$;

grant execute on function labels_in_tree(uuid, text, jsonb) to skein_server;

-- The calendar month of an instant, as the instant at which it began.
create or replace function budget_month(month_starts timestamptz[], at timestamptz) returns timestamptz
language sql immutable
return month_starts[greatest(1, width_bucket(at, month_starts))];

grant execute on function budget_month(timestamptz[], timestamptz) to skein_server;

-- Adds to the counters of several budgets, always in the same order: two connections with the same part would else wait
-- for each other.
create or replace function add_to_budgets(
  tenant uuid, budgets text[], months timestamptz[], spent bigint[], reserved bigint[]
) returns void
language sql
as $$
  insert into budget_spend as s (tenant_id, budget, month, part, spent_micros, reserved_micros)
  select tenant, d.budget, d.month, pg_backend_pid() % 16, sum(d.spent), sum(d.reserved)
  from unnest(budgets, months, spent, reserved) as d(budget, month, spent, reserved)
  group by d.budget, d.month
  order by d.budget, d.month
  on conflict (tenant_id, budget, month, part) do update set
    spent_micros = s.spent_micros + excluded.spent_micros,
    reserved_micros = s.reserved_micros + excluded.reserved_micros;
$$;

grant execute on function add_to_budgets(uuid, text[], timestamptz[], bigint[], bigint[]) to skein_server;

-- Has somebody look at the budget for a while. The last of all its rows that a transaction locks.
create or replace function watch_budget(tenant uuid, its_budget text) returns void
language sql
as $$
  insert into budget_watch (tenant_id, budget, touched_at) values (tenant, its_budget, now())
  on conflict (tenant_id, budget) do update set touched_at = excluded.touched_at;
$$;

grant execute on function watch_budget(uuid, text) to skein_server;

-- Whether this value of the label has its own usage in an hour. A label can have a different value for each agent, and
-- every read of usage reads all values. So beyond 500 values in an hour, the rest is one row, under the label's name
-- followed by =, which no label's name contains. Values with a budget always have their own.
create or replace function keeps_label_value(tenant uuid, its_hour timestamptz, its_label text, its_value text)
returns boolean
language sql volatile
as $$
  select exists (select from usage_by_label u
      where u.tenant_id = tenant and u.label = its_label and u.hour = its_hour and u.value = its_value)
    or exists (select from budget b where b.tenant_id = tenant and b.scope = 'label' and b.subject = its_label
      and b.label_value = its_value)
    or not exists (select from usage_by_label u
        where u.tenant_id = tenant and u.label = its_label || '=' and u.hour = its_hour)
      and (select count(*) from (select distinct u.value from usage_by_label u
        where u.tenant_id = tenant and u.label = its_label and u.hour = its_hour limit 500) d) < 500;
$$;

grant execute on function keeps_label_value(uuid, timestamptz, text, text) to skein_server;

-- Counts what agents used: by the hour, and against their budgets, from which it also takes the reservations that this
-- settles. `settled` are agents whose calls have ended. Called by add_to_fleet.
create or replace function add_usage(
  tenant uuid, its_root text, its_workspace text, its_provider text, its_account text, used json, settled json
) returns void
language plpgsql
as $$
declare
  item record;
  found_budget record;
  budgets text[] := '{}';
  months timestamptz[] := '{}';
  spent bigint[] := '{}';
  reserved bigint[] := '{}';
begin
  if used is not null then
    for item in
      select * from json_to_recordset(used) as u(at timestamptz, persona text, model text, labels jsonb,
        "costMicros" bigint, "inputTokens" bigint, "cachedInputTokens" bigint, "outputTokens" bigint)
      order by persona, model
    loop
      insert into usage as s (tenant_id, hour, workspace, owner_provider, account, persona, model, part, cost_micros,
        input_tokens, cached_input_tokens, output_tokens)
      values (tenant, date_trunc('hour', item.at, 'UTC'), its_workspace, its_provider, its_account, item.persona,
        item.model, pg_backend_pid() % 16, item."costMicros", item."inputTokens", item."cachedInputTokens",
        item."outputTokens")
      on conflict (tenant_id, hour, workspace, owner_provider, account, persona, model, part) do update set
        cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
        cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
        output_tokens = s.output_tokens + excluded.output_tokens;

      for found_budget in
        select b.name, budget_month(b.month_starts, item.at) as month
        from budgets_of(tenant, its_workspace, its_provider, its_account, labels_in_tree(tenant, its_root, item.labels)) b
      loop
        budgets := budgets || found_budget.name;
        months := months || found_budget.month;
        spent := spent || item."costMicros";
        reserved := reserved || 0::bigint;
      end loop;
    end loop;

    insert into usage_by_label as s (tenant_id, hour, label, value, workspace, part, cost_micros, input_tokens,
      cached_input_tokens, output_tokens)
    select tenant, u.hour, case when k.is_kept then u.key else u.key || '=' end, case when k.is_kept then u.value else '' end,
      its_workspace, pg_backend_pid() % 16, sum(u."costMicros"), sum(u."inputTokens"), sum(u."cachedInputTokens"),
      sum(u."outputTokens")
    from (
      select date_trunc('hour', u.at, 'UTC') as hour, l.key, l.value, u."costMicros", u."inputTokens",
        u."cachedInputTokens", u."outputTokens"
      from json_to_recordset(used) as u(at timestamptz, labels jsonb, "costMicros" bigint, "inputTokens" bigint,
          "cachedInputTokens" bigint, "outputTokens" bigint),
        jsonb_each_text(labels_in_tree(tenant, its_root, u.labels)) with ordinality as l(key, value, place)
      -- Agents may have many labels. Each is a row, so only some count, and those that a budget is for.
      where l.place <= 8 or exists (select from budget b
        where b.tenant_id = tenant and b.scope = 'label' and b.subject = l.key)
    ) u
    cross join lateral (select keeps_label_value(tenant, u.hour, u.key, u.value) as is_kept) k
    group by 2, 3, 4
    order by 3, 2, 4
    on conflict (tenant_id, label, hour, value, workspace, part) do update set
      cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
      cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = s.output_tokens + excluded.output_tokens;
  end if;

  -- Most tenants have none, and a kill settles the calls of thousands of agents.
  if settled is not null and exists (select from budget_reservation r where r.tenant_id = tenant) then
    for item in select e.value::uuid as agent_id from json_array_elements_text(settled) as e(value) order by 1 loop
      for found_budget in
        delete from budget_reservation r where r.agent_id = item.agent_id
        returning r.budget as name, r.month, r.amount_micros
      loop
        budgets := budgets || found_budget.name;
        months := months || found_budget.month;
        spent := spent || 0::bigint;
        reserved := reserved || -found_budget.amount_micros;
      end loop;
    end loop;
  end if;

  if cardinality(budgets) > 0 then
    perform add_to_budgets(tenant, budgets, months, spent, reserved);
    -- Not with `on conflict do update ... where`: that locks the row even if it changes nothing.
    for item in
      select distinct b.name from unnest(budgets) as b(name)
      where not exists (select from budget_watch w
        where w.tenant_id = tenant and w.budget = b.name and w.touched_at > now() - interval '10 seconds')
      order by 1
    loop
      perform watch_budget(tenant, item.name);
    end loop;
  end if;
end
$$;

grant execute on function add_usage(uuid, text, text, text, text, json, json) to skein_server;

-- Reserves the least that an agent's next call costs from each hard budget that applies, or from none if one has no room
-- for it: then the agent is noted, to be woken when there is. Null if none applies.
--
-- Far from the end of a budget, calls that reserve in the same moment don't see each other and needn't. In its last fifth,
-- and if a hundred such calls would not fit, they come one by one.
create or replace function reserve_call(
  tenant uuid, its_agent uuid, its_run bigint, its_attempt integer, estimate bigint, at timestamptz,
  expires timestamptz
) returns json
language plpgsql
as $$
declare
  caller record;
  old record;
  limits record;
  used bigint;
  refused_by text;
  refused_until timestamptz;
  tightest_amount bigint;
  tightest_used bigint;
  budgets text[] := '{}';
  months timestamptz[] := '{}';
  amounts bigint[] := '{}';
  new_budgets text[] := '{}';
  new_months timestamptz[] := '{}';
begin
  if not exists (select from budget b where b.tenant_id = tenant) then
    return null;
  end if;
  select a.key, a.root_key, a.workspace, a.owner_provider, a.account,
    labels_in_tree(tenant, a.root_key, a.labels) as labels into caller
  from agent a
  where a.id = its_agent and a.tenant_id = tenant;
  if not found then
    return null;
  end if;
  -- The call before was not settled, or this is the same question again.
  for old in
    delete from budget_reservation r where r.agent_id = its_agent returning r.budget, r.month, r.amount_micros
  loop
    budgets := budgets || old.budget;
    months := months || old.month;
    amounts := amounts || -old.amount_micros;
  end loop;

  for limits in
    select b.name, b.amount_micros, budget_month(b.month_starts, at) as month,
      b.month_starts[greatest(1, width_bucket(at, b.month_starts)) + 1] as ends
    from budgets_of(tenant, caller.workspace, caller.owner_provider, caller.account, caller.labels) b
    where b.is_hard
  loop
    used := budget_used(tenant, limits.name, limits.month) - released_of(budgets, months, amounts, limits.name,
      limits.month);
    if used + estimate * 100 >= limits.amount_micros or used * 5 >= limits.amount_micros * 4 then
      perform pg_advisory_xact_lock(hashtextextended(tenant::text || '/budget/' || limits.name, 3));
      used := budget_used(tenant, limits.name, limits.month) - released_of(budgets, months, amounts, limits.name,
        limits.month);
    end if;
    if tightest_amount is null or limits.amount_micros - used < tightest_amount - tightest_used then
      tightest_amount := limits.amount_micros;
      tightest_used := used;
    end if;
    if used + estimate >= limits.amount_micros and refused_by is null then
      refused_by := limits.name;
      refused_until := limits.ends;
    end if;
    new_budgets := new_budgets || limits.name;
    new_months := new_months || limits.month;
  end loop;

  if refused_by is null and cardinality(new_budgets) > 0 then
    insert into budget_reservation (tenant_id, agent_id, budget, month, amount_micros, expires_at)
    select tenant, its_agent, n.budget, n.month, estimate, now() + (expires - at)
    from unnest(new_budgets, new_months) as n(budget, month);
    budgets := budgets || new_budgets;
    months := months || new_months;
    amounts := amounts || array_fill(estimate, array[cardinality(new_budgets)]);
    -- The agent was refused before, and goes on.
    delete from budget_hold h where h.agent_id = its_agent;
  end if;
  if cardinality(budgets) > 0 then
    perform add_to_budgets(tenant, budgets, months, array_fill(0::bigint, array[cardinality(budgets)]), amounts);
  end if;
  if refused_by is not null then
    insert into budget_hold (tenant_id, agent_id, agent_key, root_key, run_id, attempt, budget, need_micros, created_at)
    values (tenant, its_agent, caller.key, caller.root_key, its_run, its_attempt, refused_by, estimate, at)
    on conflict (agent_id) do update set agent_key = excluded.agent_key, root_key = excluded.root_key,
      run_id = excluded.run_id, attempt = excluded.attempt, budget = excluded.budget,
      need_micros = excluded.need_micros, created_at = excluded.created_at;
  end if;
  if tightest_amount is null then
    return null;
  end if;
  return json_build_object('amountMicros', tightest_amount::text, 'usedMicros', tightest_used::text,
    'refusedBy', refused_by, 'refusedUntil', refused_until);
end
$$;

grant execute on function reserve_call(uuid, uuid, bigint, integer, bigint, timestamptz, timestamptz) to skein_server;

-- Settled and reserved. A statement of its own in a volatile function, so that it sees what was committed meanwhile.
create or replace function budget_used(tenant uuid, its_budget text, its_month timestamptz) returns bigint
language sql volatile
as $$
  select coalesce(sum(s.spent_micros + s.reserved_micros), 0)::bigint from budget_spend s
  where s.tenant_id = tenant and s.budget = its_budget and s.month = its_month;
$$;

grant execute on function budget_used(uuid, text, timestamptz) to skein_server;

create or replace function released_of(
  budgets text[], months timestamptz[], amounts bigint[], its_budget text, its_month timestamptz
) returns bigint
language sql immutable
as $$
  select coalesce(-sum(d.amount), 0)::bigint from unnest(budgets, months, amounts) as d(budget, month, amount)
  where d.budget = its_budget and d.month = its_month;
$$;

grant execute on function released_of(text[], timestamptz[], bigint[], text, timestamptz) to skein_server;

-- Writes a budget. A new one, and one that is about something else or another month, counts what was used since the
-- month began, from the hourly totals.
create or replace function put_budget(
  tenant uuid, its_name text, its_scope text, its_subject text, its_value text, amount bigint, hard boolean,
  starts timestamptz[], at timestamptz
) returns void
language plpgsql
as $$
declare
  old budget;
begin
  select * into old from budget b where b.tenant_id = tenant and b.name = its_name;
  insert into budget (tenant_id, name, scope, subject, label_value, amount_micros, is_hard, month_starts)
  values (tenant, its_name, its_scope, its_subject, its_value, amount, hard, starts)
  on conflict (tenant_id, name) do update set scope = excluded.scope, subject = excluded.subject,
    label_value = excluded.label_value, amount_micros = excluded.amount_micros, is_hard = excluded.is_hard,
    month_starts = excluded.month_starts;
  if old.scope = its_scope and old.subject = its_subject and old.label_value = its_value
    and budget_month(old.month_starts, at) = budget_month(starts, at) then
    perform watch_budget(tenant, its_name);
    return;
  end if;
  delete from budget_reservation r where r.tenant_id = tenant and r.budget = its_name;
  -- People know levels of something else.
  delete from budget_notice n where n.tenant_id = tenant and n.budget = its_name;
  -- One statement: what it counts and what it replaces are of the same moment.
  with counted as (
    select coalesce(sum(u.cost_micros), 0)::bigint as cost from usage u
    where its_scope <> 'label' and u.tenant_id = tenant and u.hour >= starts[1] and case its_scope
      when 'team' then exists (select from workspace_team t
        where t.tenant_id = tenant and t.workspace = u.workspace and t.team = its_subject)
      when 'account' then u.owner_provider || '/' || u.account = its_subject
      else true end
  ), labelled as (
    select coalesce(sum(u.cost_micros), 0)::bigint as cost from usage_by_label u
    -- The sum keeps it from using the index by age, which is not by tenant: planned while the table was small, it would.
    where its_scope = 'label' and u.tenant_id = tenant and u.hour + interval '0' >= starts[1]
      and u.label = its_subject and u.value = its_value
  ), replaced as (
    delete from budget_spend s where s.tenant_id = tenant and s.budget = its_name and s.month = starts[1]
      and s.part <> -1
  )
  insert into budget_spend as s (tenant_id, budget, month, part, spent_micros, reserved_micros)
  select tenant, its_name, starts[1], -1, c.cost + l.cost, 0 from counted c, labelled l
  on conflict (tenant_id, budget, month, part) do update set spent_micros = excluded.spent_micros,
    reserved_micros = 0;
  perform watch_budget(tenant, its_name);
end
$$;

grant execute on function put_budget(uuid, text, text, text, text, bigint, boolean, timestamptz[], timestamptz)
  to skein_server;

create or replace function drop_budget(tenant uuid, its_name text) returns void
language sql
as $$
  delete from budget b where b.tenant_id = tenant and b.name = its_name;
  delete from budget_reservation r where r.tenant_id = tenant and r.budget = its_name;
  delete from budget_spend s where s.tenant_id = tenant and s.budget = its_name;
  delete from budget_notice n where n.tenant_id = tenant and n.budget = its_name;
  delete from budget_watch w where w.tenant_id = tenant and w.budget = its_name;
$$;

grant execute on function drop_budget(uuid, text) to skein_server;

-- Budgets that were spent from in the last minute, and those that agents wait for, in all tenants whose rows may change.
-- Goes from one budget to the next, however many agents wait for it.
create or replace function list_active_budgets() returns table (tenant_id uuid, budget text)
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with recursive held as (
    (select h.tenant_id, h.budget from budget_hold h order by h.tenant_id, h.budget limit 1)
    union all
    select n.tenant_id, n.budget from held p cross join lateral (
      select h.tenant_id, h.budget from budget_hold h where (h.tenant_id, h.budget) > (p.tenant_id, p.budget)
      order by h.tenant_id, h.budget limit 1) n
  )
  select a.tenant_id, a.budget from (
    select w.tenant_id, w.budget from budget_watch w where w.touched_at > now() - interval '1 minute'
    union
    select h.tenant_id, h.budget from held h) a
  where a.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')));
$$;

revoke all on function list_active_budgets() from public;
grant execute on function list_active_budgets() to skein_server;

-- Gives back what calls reserved that were never settled, because nobody could any more. Returns how many.
create or replace function expire_reservations(amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with expired as (
    delete from budget_reservation r where r.ctid = any (array(
      select o.ctid from budget_reservation o where o.expires_at < now()
        and o.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
      limit amount for update skip locked))
    returning r.tenant_id, r.budget, r.month, r.amount_micros
  ), given_back as (
    insert into budget_spend as s (tenant_id, budget, month, part, spent_micros, reserved_micros)
    select e.tenant_id, e.budget, e.month, pg_backend_pid() % 16, 0, -sum(e.amount_micros) from expired e
    group by e.tenant_id, e.budget, e.month
    order by e.tenant_id, e.budget, e.month
    on conflict (tenant_id, budget, month, part) do update set
      reserved_micros = s.reserved_micros + excluded.reserved_micros
  )
  select count(*) from expired;
end;

revoke all on function expire_reservations(integer) from public;
grant execute on function expire_reservations(integer) to skein_server;
