import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The licences of what is bundled into the page of the studio. */
const STUDIO_NOTICE = `/*! studio, with Preact (MIT, Copyright 2015 Jason Miller) and diff (BSD-3-Clause, Copyright 2009 Kevin Decker) */`

/**
 * Makes the files of a page, by their names. Its folder has `page.tsx`, `page.css`, `index.html` and `icon.svg`; default: that of
 * the studio. `notice` is the comment at the top of its script, with the licences of what is in it.
 */
export async function buildPage(
  folder = new URL('.', import.meta.url),
  notice = STUDIO_NOTICE,
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const at = (name: string): string => fileURLToPath(new URL(name, folder))
  const { outputFiles } = await build({
    entryPoints: [at('page.tsx'), at('page.css')],
    outdir: at('out'),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: notice },
    legalComments: 'none',
    tsconfigRaw: {},
  })
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const { path, contents } of outputFiles) files.set(path.replace(/^.*[\\/]/u, ''), new Uint8Array(contents))
  for (const name of ['index.html', 'icon.svg']) files.set(name, new Uint8Array(await readFile(at(name))))
  return files
}
