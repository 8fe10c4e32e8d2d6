/**
 * For Node 22, which strips types from a source but does not know `using`: translates the sources that declare something with
 * it. `.ci/test-node` imports this into every process that a test starts; published packages are translated by the build.
 *
 *   node --import ./scripts/lower-using.ts program.ts
 */
import { readFileSync } from 'node:fs'
import { createRequire, register, type LoadHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import type * as esbuild from 'esbuild'

const DECLARATION = /^\s*(?:await )?using /mu

/** Translates a source on its way to Node. (`registerHooks` breaks `require` of CommonJS packages in 22.19.) */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith('file:') || !/\.[mc]?ts$/u.test(url.split('?', 1)[0]!)) return await nextLoad(url, context)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  if (!DECLARATION.test(text)) return await nextLoad(url, context)
  // Only where it is needed: most processes never load the compiler.
  const { transformSync } = createRequire(import.meta.url)('esbuild') as typeof esbuild
  const { code } = transformSync(text, { loader: 'ts', target: 'es2024', format: 'esm', sourcemap: 'inline' })
  return { format: 'module', source: code, shortCircuit: true }
}

// Node loads this file again in the thread of the hooks.
if (isMainThread) register(import.meta.url)
