/** Who may import whom. The direction is the architecture: see docs/adr/0001 and CONTRIBUTING.md. */

const layers = {
  contract: [],
  core: ['contract'],
  store: ['contract', 'core'],
  'schema-check': [],
  engine: ['contract', 'core', 'store', 'schema-check'],
  server: ['contract', 'core', 'store', 'engine'],
  host: [],
  'local-postgres': ['host'],
  testkit: ['host', 'local-postgres', 'contract', 'core', 'store', 'engine', 'server'],
  simulator: [],
  'resource-files': [],
  client: ['contract'],
  runner: ['contract', 'core', 'client', 'schema-check', 'host'],
  dev: ['client', 'host', 'local-postgres'],
  cli: ['contract', 'client', 'resource-files', 'dev'],
  dashboard: ['contract', 'client', 'resource-files'],
}

const directionRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `direction-${name}`,
  comment: `packages/${name} may import only: ${allowed.join(', ') || 'nothing of ours'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/src` },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}))

/** The same inside packages: which folders of src a folder may import. No two may need each other. */
const folders = {
  core: {
    globs: [],
    network: [],
    agent: ['globs'],
    access: ['agent'],
    catalog: ['access', 'agent'],
    'follow-ups': ['agent'],
    runs: ['agent', 'globs'],
  },
  store: {
    database: [],
    schema: ['database'],
    access: ['database'],
    agents: ['database'],
    audit: ['database'],
    catalog: ['database'],
    fleet: ['database'],
    runs: ['database'],
  },
  engine: {
    audit: [],
    commands: [],
    schemas: [],
    access: ['commands'],
    catalog: ['access', 'commands'],
    agents: ['access', 'commands'],
    fleet: ['agents'],
    'follow-ups': ['agents', 'commands'],
    runs: ['access', 'agents', 'catalog', 'commands', 'follow-ups'],
  },
  server: {
    'fair-start': [],
    dashboard: [],
    docs: [],
    plugins: ['fair-start'],
    http: ['plugins'],
    routes: ['http', 'plugins'],
    commands: [],
  },
  runner: {
    network: [],
    blobs: [],
    leases: [],
    secrets: [],
    sandbox: ['network'],
    start: ['sandbox'],
    front: ['sandbox'],
    backends: ['sandbox'],
    git: ['network', 'sandbox'],
    gateway: ['front'],
    'git-front': ['front', 'git'],
    tools: ['front', 'gateway'],
    offers: ['backends', 'gateway', 'sandbox'],
    workspace: ['backends', 'blobs', 'front', 'git', 'git-front', 'sandbox', 'secrets'],
    run: [
      ...['backends', 'blobs', 'front', 'gateway', 'git', 'git-front', 'leases', 'offers', 'sandbox'],
      ...['secrets', 'tools', 'workspace'],
    ],
    daemon: [
      ...['blobs', 'front', 'gateway', 'git', 'git-front', 'leases', 'offers', 'run', 'sandbox', 'tools'],
      'workspace',
    ],
  },
  dashboard: {
    format: [],
    session: ['format'],
    ui: ['format'],
    live: ['format', 'session'],
    agent: ['format', 'live', 'session', 'ui'],
    catalog: ['session', 'ui'],
    layout: ['format', 'session', 'ui'],
    pages: ['agent', 'catalog', 'format', 'layout', 'live', 'session', 'ui'],
  },
}

const folderRules = Object.entries(folders).flatMap(([name, allowedOf]) =>
  Object.entries(allowedOf).map(([folder, allowed]) => ({
    name: `folder-${name}-${folder}`,
    comment: `packages/${name}/src/${folder} may import only these folders: ${allowed.join(', ') || 'none'}.`,
    severity: 'error',
    from: { path: `^packages/${name}/src/${folder}/` },
    to: {
      path: `^packages/${name}/src/[^/]+/`,
      pathNot: `^packages/${name}/src/(${[folder, ...allowed].join('|')})/`,
    },
  })),
)

module.exports = {
  forbidden: [
    ...directionRules,
    ...folderRules,
    {
      name: 'not-back-to-the-top',
      comment: 'What puts a package together knows its folders, so no folder knows it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/[^/]+/' },
      to: { path: '^packages/$1/src/(index|main|app|router|bootstrap|reseal)[.]tsx?$' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-deep-import',
      comment:
        'Another package is used through its index.ts only, and the contract through its facts.ts too.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/([^/]+)/src/(?!index\\.ts$)',
        pathNot: ['^packages/$1/', '^packages/contract/src/facts\\.ts$'],
      },
    },
    {
      name: 'facts-are-light',
      comment: 'Every page and every command loads the facts: they import nothing, least of all TypeBox.',
      severity: 'error',
      from: { path: '^packages/contract/src/facts(\\.ts$|/)' },
      to: { pathNot: '^packages/contract/src/facts/' },
    },
    {
      name: 'browser-safe',
      comment: 'contract, core, resource-files, client and dashboard run in a browser: no Node built-ins.',
      severity: 'error',
      from: { path: '^packages/(contract|core|resource-files|client|dashboard)/src' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'dev-is-optional',
      comment: '@skein/dev may not be installed: only what starts or uses a local Skein imports it.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: '^packages/cli/src/(dev|demo)/' },
      to: { path: '^packages/dev/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dev-is-loaded-late',
      comment: 'What imports @skein/dev is itself imported only when requireDev has found it.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: '^packages/cli/src/(dev|demo)/' },
      to: {
        path: '^packages/cli/src/(dev|demo)/',
        pathNot: '^packages/cli/src/dev/(options|require-dev)[.]ts$',
        dynamic: false,
      },
    },
    {
      name: 'pages-apart',
      comment:
        'A page of the dashboard knows no other page. What several show is in src/agent, src/catalog or src/ui.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/pages/([^/]+)/' },
      to: { path: '^packages/dashboard/src/pages/', pathNot: '^packages/dashboard/src/pages/$1/' },
    },
    {
      name: 'no-test-in-src',
      severity: 'error',
      from: { path: '^packages/[^/]+/src', pathNot: '^packages/testkit/' },
      to: { path: '(^packages/testkit/)|(/test/)' },
    },
    {
      name: 'black-box',
      comment:
        'The conformance suite talks HTTP. What it shared with the project could be wrong on both sides.',
      severity: 'error',
      from: { path: '^e2e/conformance/' },
      to: { path: '^(packages/|e2e/(?!conformance/))' },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
