import { defineConfig } from 'vitest/config'

// Tests run on the sources: the `@x/source` condition of every package's `exports`.
const conditions = ['@x/source', 'node', 'import', 'module', 'default']

// A pipeline counts from the report.
const reporters: ('default' | ['json', { outputFile: string }])[] = ['default']
if (process.env['CI']) reporters.push(['json', { outputFile: '.cache/vitest.json' }])

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    execArgv: ['--conditions=@x/source'],
    testTimeout: 20_000,
    reporters,
  },
})
