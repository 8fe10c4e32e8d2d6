import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './scripts/slowest-first.ts'

// Tests run on the sources: the `@x/source` condition of every package's `exports`.
const conditions = ['@x/source', 'node', 'import', 'module', 'default']

// A pipeline counts from the report.
const reporters: ('default' | ['json', { outputFile: string }])[] = ['default']
if (process.env['CI']) reporters.push(['json', { outputFile: '.cache/vitest.json' }])

/** Tests of code execution; `pnpm test:sandboxes` runs them. */
const SANDBOXES = [
  'packages/exec/src/{death,machines,red-team}.test.ts',
  'packages/exec/src/{container,contract,red-team}/**/*.test.ts',
  'packages/exec/src/wasm/*.test.ts',
]

/** Programs that are started and killed, a browser, many cells of faults, limits that pass in time, a Jupyter server; `pnpm test:slow` runs them. */
const SLOW = [
  'apps/cli/src/{chat,reason-killed}.test.ts',
  'apps/{conformance,model-e2e}/src/*faults.test.ts',
  'apps/hosted-search/src/workers.test.ts',
  'apps/model-e2e/src/shared-cache.test.ts',
  'apps/web-chat/src/{browser,many}.test.ts',
  'packages/exec/src/jupyter/real-server.test.ts',
  'packages/host-bullmq/src/*/{cache,contract}.test.ts',
  'packages/host/src/{killed,random-programs}.test.ts',
  'packages/host/src/shared/{contract,budget-rules}.test.ts',
]

/** Servers and clients of others, processes and many connections; `pnpm test:mcp` runs them. */
const MCP = [
  'packages/mcp/src/{foreign,client/faults,client/faults-at-messages,client/stdio}.test.ts',
  'apps/cli/src/mcp-command.test.ts',
]

/** Servers and workers that are killed; `pnpm test:chaos` runs them. */
const CHAOS = ['packages/host-bullmq/src/*/chaos.test.ts']

const ALL = ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'scripts/**/*.test.ts']

/** Where threads find their sources without types; any user may write there. */
export const compileCache: string = join(tmpdir(), 'node-compile-cache')

// Threads and processes of tests get these. Node adds `import` or `require` by itself; with both, a package would give its modules to `require`.
const own = conditions.filter((condition) => condition !== 'import')

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: own, externalConditions: conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ALL,
          exclude: [...configDefaults.exclude, ...SANDBOXES, ...SLOW, ...MCP, ...CHAOS],
        },
      },
      { extends: true, test: { name: 'sandboxes', include: SANDBOXES } },
      { extends: true, test: { name: 'mcp', include: MCP } },
      // Servers and workers that are killed at random: a test that fails is run once more, and told of.
      { extends: true, test: { name: 'slow', include: SLOW, retry: 1 } },
      { extends: true, test: { name: 'chaos', include: CHAOS, retry: 1 } },
    ],
    globalSetup: ['./scripts/warm-threads.ts'],
    setupFiles: ['./vitest.setup.ts'],
    env: { NODE_COMPILE_CACHE: compileCache },
    execArgv: ['--conditions=@x/source'],
    // Enough for a machine that does much else; what hangs is still found.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SlowestFirst },
    // By default one core stays idle, and of two that is half of them.
    maxWorkers: '100%',
    reporters,
  },
})
