/** A query of a panel, with what its lines are called. */
interface Query {
  readonly expr: string
  readonly legend?: string
}

interface Panel {
  readonly title: string
  /** What to conclude from it. */
  readonly description?: string
  readonly unit: 's' | 'short' | 'percentunit' | 'reqps' | 'ops' | 'bytes' | 'currencyUSD'
  readonly queries: readonly Query[]
  /** A single number, red from this value on. Otherwise a graph. */
  readonly alarmAt?: number
}

interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

interface DashboardPlan {
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly rows: readonly Row[]
}

const REQUESTS = 'skein_http_request_duration_seconds'
const FIRST_CALL = 'skein_runner_queued_to_first_model_call_seconds'

const quantile = (share: number, metric: string, by = '', filter = ''): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket${filter}[$__rate_interval])))`

const perSecond = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`

const lagOf = (program: string): string => `skein_${program}nodejs_eventloop_lag_p99_seconds`

const OVERVIEW: DashboardPlan = {
  uid: 'skein-overview',
  title: 'Skein / Overview',
  description: 'Service levels, and whether work gets done.',
  rows: [
    {
      title: 'Service levels, last hour',
      panels: [
        {
          title: 'Requests that fail',
          description: 'Goal: less than 0.1 %.',
          unit: 'percentunit',
          queries: [{ expr: 'skein:request_errors:ratio_rate:1h or vector(0)' }],
          alarmAt: 0.001,
        },
        {
          title: 'Commands slower than 250 ms',
          description: 'Goal: less than 1 %.',
          unit: 'percentunit',
          queries: [{ expr: 'skein:command_slow:ratio_rate:1h' }],
          alarmAt: 0.01,
        },
        {
          title: 'First model call later than 10 s',
          description: 'Goal: less than 5 %.',
          unit: 'percentunit',
          queries: [{ expr: 'skein:first_model_call_slow:ratio_rate:1h' }],
          alarmAt: 0.05,
        },
        {
          title: 'Stops slower than 2 s',
          description: 'Goal: less than 1 %.',
          unit: 'percentunit',
          queries: [{ expr: 'skein:stop_slow:ratio_rate:1h' }],
          alarmAt: 0.01,
        },
        {
          title: 'Runs lost',
          description: 'Goal: 0.',
          unit: 'short',
          queries: [{ expr: 'sum(increase(skein_runs_ended_total{reason="lost"}[1h]))' }],
          alarmAt: 1,
        },
      ],
    },
    {
      title: 'Traffic and work',
      panels: [
        {
          title: 'Requests by status',
          unit: 'reqps',
          queries: [{ expr: perSecond(`${REQUESTS}_count`, 'status'), legend: '{{status}}' }],
        },
        {
          title: 'Runs queued',
          unit: 'short',
          queries: [{ expr: 'max by (pool) (skein_runs_queued)', legend: '{{pool}}' }],
        },
        {
          title: 'Runs ended, by reason',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_runs_ended_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Spent per hour',
          unit: 'currencyUSD',
          queries: [{ expr: 'sum(rate(skein_runner_cost_dollars_total[1h])) * 3600' }],
        },
      ],
    },
  ],
}

const QUEUES: DashboardPlan = {
  uid: 'skein-queues',
  title: 'Skein / Queues and runners',
  description: 'How long work waits, and who takes it.',
  rows: [
    {
      title: 'Queues',
      panels: [
        {
          title: 'Runs queued',
          description: 'Counted up to 1,000 per tenant and pool.',
          unit: 'short',
          queries: [{ expr: 'max by (pool) (skein_runs_queued)', legend: '{{pool}}' }],
        },
        {
          title: 'Oldest queued run',
          unit: 's',
          queries: [{ expr: 'max by (pool) (skein_runs_queued_oldest_seconds)', legend: '{{pool}}' }],
        },
        {
          title: 'Time in the queue',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'skein_run_queue_duration_seconds'), legend: 'p50' },
            { expr: quantile(0.95, 'skein_run_queue_duration_seconds'), legend: 'p95' },
          ],
        },
        {
          title: 'From queued to the first model call',
          unit: 's',
          queries: [
            { expr: quantile(0.5, FIRST_CALL), legend: 'p50' },
            { expr: quantile(0.95, FIRST_CALL), legend: 'p95' },
          ],
        },
      ],
    },
    {
      title: 'Runners',
      panels: [
        {
          title: 'Runners online',
          unit: 'short',
          queries: [{ expr: 'max by (pool) (skein_runners_online)', legend: '{{pool}}' }],
        },
        {
          title: 'Runs in progress',
          unit: 'short',
          queries: [{ expr: 'max by (pool) (skein_runs_running)', legend: '{{pool}}' }],
        },
        {
          title: 'Capacity in use',
          description: 'At 100 %, more runs have to wait: add runners.',
          unit: 'percentunit',
          queries: [{ expr: 'sum(skein_runner_active_runs) / sum(skein_runner_capacity)' }],
        },
        {
          title: 'Leases that expired',
          description: 'Runners that died, hung or lost their connection.',
          unit: 'ops',
          queries: [{ expr: 'sum(rate(skein_leases_expired_total[$__rate_interval]))' }],
        },
        {
          title: 'Runner faults and failed polls',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_runner_problems_total', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Event-loop delay of runners',
          unit: 's',
          queries: [{ expr: lagOf('runner_'), legend: '{{instance}}' }],
        },
      ],
    },
  ],
}

const RUNS: DashboardPlan = {
  uid: 'skein-runs',
  title: 'Skein / Runs and models',
  description: 'How runs end, and what models, repositories and the blob store answer.',
  rows: [
    {
      title: 'Runs',
      panels: [
        {
          title: 'Ended, by reason',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_runs_ended_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Retries, by cause',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_run_retries_total', 'cause'), legend: '{{cause}}' }],
        },
        {
          title: 'Ended on runners, by reason',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_runner_runs_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Time to stop',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'skein_run_stop_duration_seconds'), legend: 'p50' },
            { expr: quantile(0.99, 'skein_run_stop_duration_seconds'), legend: 'p99' },
          ],
        },
      ],
    },
    {
      title: 'Models',
      panels: [
        {
          title: 'Calls, by provider and status',
          description: '429 and 529: rate limits. 0: no answer.',
          unit: 'ops',
          queries: [
            {
              expr: perSecond('skein_runner_model_calls_total', 'provider, status'),
              legend: '{{provider}} {{status}}',
            },
          ],
        },
        {
          title: 'Duration of calls',
          unit: 's',
          queries: [
            {
              expr: quantile(0.5, 'skein_runner_model_call_duration_seconds', 'provider'),
              legend: '{{provider}} p50',
            },
            {
              expr: quantile(0.95, 'skein_runner_model_call_duration_seconds', 'provider'),
              legend: '{{provider}} p95',
            },
          ],
        },
        {
          title: 'Start of a run to the end of its first call',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'skein_runner_first_model_call_seconds'), legend: 'p95' }],
        },
        {
          title: 'Spent per hour',
          unit: 'currencyUSD',
          queries: [{ expr: 'sum(rate(skein_runner_cost_dollars_total[1h])) * 3600' }],
        },
      ],
    },
    {
      title: 'Repositories and conversations',
      panels: [
        {
          title: 'Git failures, by kind',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_runner_git_failures_total', 'kind'), legend: '{{kind}}' }],
        },
        {
          title: 'Blob store failures',
          unit: 'ops',
          queries: [
            { expr: perSecond('skein_runner_blob_failures_total', 'operation'), legend: '{{operation}}' },
          ],
        },
      ],
    },
  ],
}

const INTERNALS: DashboardPlan = {
  uid: 'skein-internals',
  title: 'Skein / Database and servers',
  description: 'What servers do, and how the database answers them.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by operation',
          unit: 'reqps',
          queries: [{ expr: perSecond(`${REQUESTS}_count`, 'operation'), legend: '{{operation}}' }],
        },
        {
          title: 'Duration, 99th percentile',
          description: 'Waits, watches and polls take as long as they wait.',
          unit: 's',
          queries: [{ expr: quantile(0.99, REQUESTS, 'operation'), legend: '{{operation}}' }],
        },
        {
          title: 'Requests that wait for something to happen',
          unit: 'short',
          queries: [{ expr: 'skein_waiting_requests', legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Database',
      panels: [
        {
          title: 'Connections',
          description: 'Requests that wait for one should be 0.',
          unit: 'short',
          queries: [{ expr: 'sum by (state) (skein_database_connections)', legend: '{{state}}' }],
        },
        {
          title: 'Use of the shares',
          unit: 'percentunit',
          queries: [
            {
              expr: 'max by (share) (skein_database_share_used / skein_database_share_size)',
              legend: '{{share}}',
            },
          ],
        },
        {
          title: 'Wake-ups through the database',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'skein_wakeup_lag_seconds'), legend: 'p95' }],
        },
        {
          title: 'Lateness of deferred messages',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'skein_deferred_delivery_lag_seconds'), legend: 'p95' }],
        },
        {
          title: 'Time since the last sweep',
          unit: 's',
          queries: [{ expr: 'skein_sweep_age_seconds', legend: '{{instance}}' }],
        },
        {
          title: 'Failed sweeps',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_sweep_failures_total', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Time since maintenance',
          unit: 's',
          queries: [{ expr: 'skein_maintenance_age_seconds', legend: '{{instance}}' }],
        },
        {
          title: 'Old timelines: age of the oldest month to move',
          description: '0 if all events that should be in the blob store are there.',
          unit: 's',
          queries: [{ expr: 'max(skein_timeline_oldest_unmoved_seconds)', legend: 'age' }],
        },
        {
          title: 'Old timelines: failures',
          unit: 'ops',
          queries: [
            { expr: perSecond('skein_timeline_segment_failures_total', 'cause'), legend: '{{cause}}' },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Event-loop delay, 99th percentile',
          unit: 's',
          queries: [{ expr: lagOf(''), legend: '{{instance}}' }],
        },
        {
          title: 'CPU',
          unit: 'percentunit',
          queries: [
            { expr: perSecond('skein_process_cpu_seconds_total', 'instance'), legend: '{{instance}}' },
          ],
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: [{ expr: 'skein_process_resident_memory_bytes', legend: '{{instance}}' }],
        },
        {
          title: 'Clock, ahead of the database’s',
          unit: 's',
          queries: [{ expr: 'skein_clock_skew_seconds', legend: '{{instance}}' }],
        },
      ],
    },
  ],
}

const AUTOMATIONS: DashboardPlan = {
  uid: 'skein-automations',
  title: 'Skein / Automations',
  description: 'Whether webhooks are delivered, triggers applied and schedules fired in time.',
  rows: [
    {
      title: 'All kinds',
      panels: [
        {
          title: 'Waiting for a server',
          description:
            'How long the oldest work that is due has been waiting. Above a few seconds, servers have too much to do, or none does it.',
          unit: 's',
          queries: [{ expr: 'max by (kind) (skein_automations_overdue_seconds)', legend: '{{kind}}' }],
        },
        {
          title: 'Time since a server looked',
          description: 'Of the server that looked last. Should be below 1 s.',
          unit: 's',
          queries: [{ expr: 'min by (kind) (skein_automations_age_seconds)', legend: '{{kind}}' }],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Requests to receivers, by outcome',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_webhook_attempts_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Duration of requests',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'skein_webhook_request_duration_seconds'), legend: 'p50' },
            { expr: quantile(0.95, 'skein_webhook_request_duration_seconds'), legend: 'p95' },
          ],
        },
        {
          title: 'Lanes that wait',
          description: 'Agents with events on their way. Counted up to 1,000 per integration.',
          unit: 'short',
          queries: [{ expr: 'max by (receiver) (skein_webhook_lanes_waiting)', legend: '{{receiver}}' }],
        },
        {
          title: 'Oldest event that waits',
          description: 'For a failing receiver, up to three days.',
          unit: 's',
          queries: [{ expr: 'max by (receiver) (skein_webhook_oldest_seconds)', legend: '{{receiver}}' }],
        },
        {
          title: 'Dead letters per hour',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (cause) (increase(skein_webhook_dead_letters_total[1h]))',
              legend: '{{cause}}',
            },
          ],
        },
        {
          title: 'Integrations that Skein disabled',
          unit: 'short',
          queries: [
            { expr: 'max(skein_webhook_integrations_disabled)', legend: 'disabled now' },
            { expr: 'sum(increase(skein_webhook_disablings_total[1d]))', legend: 'in a day' },
          ],
        },
      ],
    },
    {
      title: 'Triggers',
      panels: [
        {
          title: 'Requests, by result',
          description: 'Unverified: an unknown trigger or a wrong signature.',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_trigger_requests_total', 'result'), legend: '{{result}}' }],
        },
        {
          title: 'Deliveries, by outcome',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_trigger_deliveries_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'From the request to the outcome',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'skein_trigger_lag_seconds'), legend: 'p50' },
            { expr: quantile(0.95, 'skein_trigger_lag_seconds'), legend: 'p95' },
          ],
        },
      ],
    },
    {
      title: 'Schedules',
      panels: [
        {
          title: 'Firings, by outcome',
          unit: 'ops',
          queries: [{ expr: perSecond('skein_schedule_firings_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Lateness of firings',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'skein_schedule_firing_lag_seconds'), legend: 'p50' },
            { expr: quantile(0.99, 'skein_schedule_firing_lag_seconds'), legend: 'p99' },
          ],
        },
      ],
    },
  ],
}

const DASHBOARDS: Readonly<Record<string, DashboardPlan>> = {
  overview: OVERVIEW,
  queues: QUEUES,
  runs: RUNS,
  internals: INTERNALS,
  automations: AUTOMATIONS,
}

/** The files of deploy/monitoring/dashboards, by name. */
export const DASHBOARD_NAMES = Object.keys(DASHBOARDS)

const SOURCE = { type: 'prometheus', uid: '${datasource}' }
const COLUMNS = 24
const GRAPH = { w: 8, h: 8 }

/** A dashboard in Grafana's JSON model. */
export function dashboardJson(name: string): string {
  const plan = DASHBOARDS[name]
  if (!plan) throw new Error(`There is no dashboard ${name}`)
  return `${JSON.stringify(toModel(plan), null, 2)}\n`
}

function toModel({ uid, title, description, rows }: DashboardPlan): object {
  return {
    uid,
    title,
    description,
    tags: ['skein'],
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [{ type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus', hide: 0 }],
    },
    annotations: { list: [] },
    links: [LINKS],
    panels: layOut(rows),
  }
}

/** A menu of all dashboards of ours, which keeps the time that is looked at. */
const LINKS = {
  type: 'dashboards',
  title: 'Skein',
  tags: ['skein'],
  asDropdown: true,
  icon: 'external link',
  includeVars: true,
  keepTime: true,
  targetBlank: false,
  tooltip: '',
  url: '',
}

/** Rows of panels, from left to right, wrapped at Grafana's 24 columns. */
function layOut(rows: readonly Row[]): object[] {
  const panels: object[] = []
  let y = 0
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    })
    y += 1
    let x = 0
    let height = 0
    for (const panel of row.panels) {
      const isNumber = panel.alarmAt !== undefined
      const size = isNumber ? { w: Math.floor(COLUMNS / row.panels.length), h: 5 } : GRAPH
      if (x + size.w > COLUMNS) {
        x = 0
        y += height
      }
      panels.push({ id: panels.length + 1, ...toPanel(panel), gridPos: { x, y, ...size } })
      x += size.w
      height = size.h
    }
    y += height
  }
  return panels
}

function toPanel({ title, description = '', unit, queries, alarmAt }: Panel): object {
  const steps = [
    { value: null, color: 'green' },
    ...(alarmAt === undefined ? [] : [{ value: alarmAt, color: 'red' }]),
  ]
  return {
    type: alarmAt === undefined ? 'timeseries' : 'stat',
    title,
    description,
    datasource: SOURCE,
    targets: queries.map(({ expr, legend }, position) => ({
      refId: String.fromCodePoint(65 + position),
      datasource: SOURCE,
      expr,
      legendFormat: legend ?? title,
    })),
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: alarmAt === undefined ? graphOptions : numberOptions,
  }
}

const graphOptions = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
}

const numberOptions = {
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  colorMode: 'background',
  graphMode: 'area',
  textMode: 'auto',
  justifyMode: 'auto',
  orientation: 'auto',
}
