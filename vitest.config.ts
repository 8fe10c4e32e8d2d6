import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Tests run on the sources: the `@x/source` condition of every package's `exports`.
const conditions = ['@x/source', 'node', 'import', 'module', 'default']

// A pipeline counts from the report.
const reporters: ('default' | ['json', { outputFile: string }])[] = ['default']
if (process.env['CI']) reporters.push(['json', { outputFile: '.cache/vitest.json' }])

/** Where threads find their sources without types; any user may write there. */
export const compileCache: string = join(tmpdir(), 'node-compile-cache')

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['./scripts/warm-threads.ts'],
    setupFiles: ['./vitest.setup.ts'],
    env: { NODE_COMPILE_CACHE: compileCache },
    execArgv: ['--conditions=@x/source'],
    testTimeout: 20_000,
    // By default one core stays idle, and of two that is half of them.
    maxWorkers: '100%',
    reporters,
  },
})
