import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './scripts/slowest-first.ts'

// Tests run on the sources: the `@x/source` condition of every package's `exports`.
const conditions = ['@x/source', 'node', 'import', 'module', 'default']

// `.ci/run` counts tests from this report.
const reporters: ('default' | ['json', { outputFile: string }])[] = ['default']
if (process.env['CI']) reporters.push(['json', { outputFile: '.cache/vitest.json' }])

/** Tests of code execution; `pnpm test:sandboxes` runs them. */
const SANDBOXES = [
  'packages/exec/src/{death,machines,red-team}.test.ts',
  'packages/exec/src/{container,contract,red-team}/**/*.test.ts',
  'packages/exec/src/wasm/*.test.ts',
]

/**
 * Killed programs, a browser, other shells, large tables of faults, hostile texts for all readers, real waiting times, a Jupyter
 * server, the counters of V8, which slow down all code of their process, and the memory of chats, which other tests of a
 * process would change; `pnpm test:slow` runs them.
 */
const SLOW = [
  'apps/composition/src/{reason-killed,recorded-commands}.test.ts',
  'apps/{conformance,model-e2e}/src/*faults.test.ts',
  'apps/front-ends/src/ag-ui-browser.test.ts',
  'apps/front-ends/src/browser.test.ts',
  'apps/hosted-search/src/workers.test.ts',
  'apps/load/src/load.test.ts',
  'apps/model-e2e/src/shared-cache.test.ts',
  'apps/studio-page/src/browser.test.ts',
  'apps/web-chat/src/{browser,killed-caller,load,many,states}.test.ts',
  'packages/cli/src/{chat,completion}.test.ts',
  'packages/exec/src/jupyter/real-server.test.ts',
  'packages/host-servers/src/{deploys-on-sqlite,*/cache,*/contract}.test.ts',
  'packages/host/src/{killed,random-programs}.test.ts',
  'packages/host/src/shared/{contract,budget-rules}.test.ts',
  'packages/reasoning/src/views/html-browser.test.ts',
  'scripts/fuzz/engine.test.ts',
  'scripts/golden/stores.test.ts',
  'scripts/growth/{large-arguments,readers}.test.ts',
  'scripts/mutants/sample.test.ts',
]

/** MCP servers and clients of other projects, processes, many connections; `pnpm test:mcp` runs them. */
const MCP = [
  'packages/mcp/src/{foreign,client/faults,client/faults-at-messages,client/stdio}.test.ts',
  'packages/cli/src/mcp-command.test.ts',
]

/** Killed servers and workers; `pnpm test:chaos` runs them. */
const CHAOS = [
  'apps/load/src/outage/outage.test.ts',
  'apps/load/src/long-talk/long-talk.test.ts',
  'packages/host-servers/src/*/{chaos,faults}.test.ts',
  'packages/records/src/killed.test.ts',
]

/** The container image of the web example, after a build; `pnpm check image` runs it. */
const IMAGE = ['apps/web-chat/src/image.test.ts']

const ALL = [
  'packages/*/src/**/*.test.ts',
  'apps/*/src/**/*.test.ts',
  'examples/{servers,providers}/*.test.ts',
  'scripts/**/*.test.ts',
]

/** Folder in which threads find sources without types; every user may write there. */
export const compileCache: string = join(tmpdir(), 'node-compile-cache')

// Conditions for threads and processes of tests. Node adds `import` or `require`; with both, `require` would get the modules of a package.
// It does not know `module`, by which some packages mean files for bundlers.
const processConditions = conditions.filter((condition) => condition !== 'import' && condition !== 'module')

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: processConditions, externalConditions: conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          // Files share processes, as libraries share that of a program: no module has state, and each test takes back what it set.
          isolate: false,
          include: ALL,
          exclude: [...configDefaults.exclude, ...SANDBOXES, ...SLOW, ...MCP, ...CHAOS, ...IMAGE],
        },
      },
      { extends: true, test: { name: 'sandboxes', include: SANDBOXES } },
      { extends: true, test: { name: 'mcp', include: MCP } },
      { extends: true, test: { name: 'image', include: IMAGE } },
      // Servers and workers are killed at random: vitest runs a failed test once more, and reports it.
      { extends: true, test: { name: 'slow', include: SLOW, retry: 1 } },
      { extends: true, test: { name: 'chaos', include: CHAOS, retry: 1 } },
    ],
    globalSetup: ['./scripts/warm-threads.ts'],
    setupFiles: ['./vitest.setup.ts'],
    env: { NODE_COMPILE_CACHE: compileCache },
    execArgv: ['--conditions=@x/source'],
    // Long enough for a busy machine, short enough to find a test that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SlowestFirst },
    // By default vitest leaves one core idle: half of a machine with two.
    maxWorkers: '100%',
    reporters,
  },
})
