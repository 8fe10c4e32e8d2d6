/** Checks the kernel's size as a bundler ships it: minified and gzipped. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './workspace.ts'

const PACKAGE_FOLDER = 'packages/kernel'
const MAX_GZIPPED_BYTES = 3072

const { outputFiles } = await build({
  entryPoints: [join(root, PACKAGE_FOLDER, 'src/index.ts')],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2024',
  write: false,
})
const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).length
console.log(`${PACKAGE_FOLDER} is ${size} bytes minified and gzipped; the limit is ${MAX_GZIPPED_BYTES}`)
if (size > MAX_GZIPPED_BYTES) process.exitCode = 1
