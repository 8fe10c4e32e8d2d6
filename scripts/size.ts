/** Checks sizes as a bundler ships them: minified and gzipped, of a package beyond the kernel without it. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './workspace.ts'

interface Limit {
  readonly what: string
  /** The program that a bundler reads, in the folder of the package. */
  readonly program: string
  readonly folder: string
  readonly maxBytes: number
}

const LIMITS: readonly Limit[] = [
  { what: 'packages/kernel', folder: 'packages/kernel/src', program: "export * from './index.ts'", maxBytes: 3072 },
  ...['toUiMessageResponse', 'fromUiMessages', 'toAgUiResponse', 'fromAgUi'].map((name) => ({
    what: `\`${name}\` of packages/ui`,
    folder: 'packages/ui/src',
    program: `export { ${name} } from './index.ts'`,
    maxBytes: 6656,
  })),
]

for (const { what, folder, program, maxBytes } of LIMITS) {
  // eslint-disable-next-line no-await-in-loop -- short bundles
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: join(root, folder), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    external: ['@x/*'],
    write: false,
  })
  const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).length
  console.log(`${what} is ${size} bytes minified and gzipped; the limit is ${maxBytes}`)
  if (size > maxBytes) process.exitCode = 1
}
