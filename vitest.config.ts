import { defineConfig } from 'vitest/config'

// Tests run on the sources: the `@x/source` condition of every package's `exports`.
const conditions = ['@x/source', 'node', 'import', 'module', 'default']

// What a pipeline counts from.
const report = process.env['CI'] ? (['json', { outputFile: '.cache/vitest.json' }] as const) : undefined

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    execArgv: ['--conditions=@x/source'],
    testTimeout: 20_000,
    reporters: ['default', ...(report ? [report] : [])],
  },
})
