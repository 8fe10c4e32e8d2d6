import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The licences of what is bundled into the page. */
const NOTICE = `/*! studio, with Preact (MIT, Copyright 2015 Jason Miller) and diff (BSD-3-Clause, Copyright 2009 Kevin Decker) */`

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Makes the files of the page, by their names. */
export async function buildPage(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const { outputFiles } = await build({
    entryPoints: [here('page.tsx'), here('page.css')],
    outdir: here('out'),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: NOTICE },
    legalComments: 'none',
    tsconfigRaw: {},
  })
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const { path, contents } of outputFiles) files.set(path.replace(/^.*[\\/]/u, ''), new Uint8Array(contents))
  for (const name of ['index.html', 'icon.svg']) files.set(name, new Uint8Array(await readFile(here(name))))
  return files
}
