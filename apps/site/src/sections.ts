/** Documents under one heading of the navigation, in the order in which they are listed. */
export interface Group {
  readonly label: string
  /** Paths from the root. */
  readonly files: readonly string[]
}

/** A part of the site: the first folder in the addresses of its pages. */
export interface Section {
  readonly label: string
  readonly folder: string
  readonly groups: readonly Group[]
}

const docs = (...names: string[]): string[] => names.map((name) => `docs/${name}.md`)

/** The file that is the first page of the site. */
export const HOME = 'README.md'

/**
 * The place of every document on the site. A document of `docs` that stands nowhere here fails the build. READMEs of
 * packages, examples, decisions and the reference follow by themselves.
 */
export const SECTIONS: readonly Section[] = [
  {
    label: 'Start',
    folder: 'start',
    groups: [
      { label: 'First steps', files: docs('start', 'installing', 'first-programs', 'README') },
      {
        label: 'Coming from elsewhere',
        files: docs(
          'choosing-a-framework',
          'coming-from-peers',
          'coming-from-ag2',
          'your-ag2-program',
          'coming-from-autogen',
        ),
      },
    ],
  },
  {
    label: 'Guides',
    folder: 'guides',
    groups: [
      {
        label: 'One agent',
        files: docs('one-agent', 'run-decisions', 'servers', 'ai-sdk-front-ends', 'ag-ui-front-ends', 'histories'),
      },
      {
        label: 'Chats',
        files: docs('chats', 'live-agents', 'pass-run', 'steering', 'approvals', 'save-and-resume', 'budgets'),
      },
      { label: 'Several agents', files: docs('choosing-who-talks', 'groups', 'handoffs') },
      {
        label: 'Models',
        files: docs(
          'models',
          'answers',
          'schemas',
          'requests-of-a-call',
          'batches',
          'background-answers',
          'vectors',
          'model-clouds',
          'model-data',
        ),
      },
      {
        label: 'Tools and code',
        files: docs('mcp', 'mcp-server', 'mcp-for-platform-teams', 'code-on-each-system', 'hosted-sandboxes'),
      },
      { label: 'Look back', files: docs('records', 'replay', 'x-log', 'studio', 'design-of-pages', 'evaluations') },
      {
        label: 'Search for answers',
        files: docs('choosing-a-method', 'auto-search', 'search-benches', 'search-worlds', 'search-on-logs'),
      },
      {
        label: 'Many users',
        files: docs(
          'hosting-chats',
          'hosted-conversations',
          'hosted-programs',
          'hosted-times',
          'platform-view',
          'failed-chats',
          'host-guarantees',
          'how-a-host-grows',
        ),
      },
      {
        label: 'Run a host',
        files: docs(
          'running-a-host',
          'watching-a-host',
          'open-telemetry',
          'deploying-a-host',
          'limits-and-budgets',
          'shared-budgets',
          'request-counts',
        ),
      },
      {
        label: 'Parts of your own',
        files: docs(
          'write-a-provider',
          'provider-wire',
          'provider-example',
          'test-a-provider',
          'write-a-search-method',
          'write-an-executor',
          'write-a-backend',
        ),
      },
    ],
  },
  {
    label: 'Concepts',
    folder: 'concepts',
    groups: [
      { label: 'How it works', files: docs('architecture', 'walls', 'stored-formats') },
      { label: 'Trust and figures', files: ['SECURITY.md', ...docs('what-may-cost-you', 'peers')] },
    ],
  },
  {
    label: 'Reference',
    folder: 'reference',
    groups: [
      { label: 'Tables', files: docs('errors', 'events', 'endpoints', 'adapter-cases') },
      { label: 'Runbooks', files: docs('operating-the-web-chat') },
    ],
  },
  {
    label: 'Project',
    folder: 'project',
    groups: [
      {
        label: 'The project',
        files: [
          'CHANGELOG.md',
          'CONTRIBUTING.md',
          'AGENTS.md',
          'templates/provider/README.md',
          'templates/executor/README.md',
        ],
      },
    ],
  },
]
