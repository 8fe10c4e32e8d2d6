import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importedSpec } from '../custom/custom-backend.ts'
import { isProgram, packageFile } from './thread.ts'

/** Makes a folder with these empty files and gives the address of each. */
function folderWith(...files: readonly string[]): (file: string) => string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'x-bundle-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), file.endsWith('.json') ? '{"exports":"./index.js"}' : '')
  }
  return (file) => pathToFileURL(join(folder, file)).href
}

describe('a file of the package', () => {
  test('has the ending of the running code', () => {
    expect(packageFile('../wasm/quickjs-child', import.meta.url).href).toBe(
      new URL('../wasm/quickjs-child.ts', import.meta.url).href,
    )
  })

  test('is the file of the installed package in a bundle', () => {
    const at = folderWith(
      ...['package.json', 'index.js', 'wasm/quickjs-child.js'].map((file) => `node_modules/@x/exec/${file}`),
    )
    expect(packageFile('../wasm/quickjs-child', at('out/bundle.js')).href).toBe(
      at('node_modules/@x/exec/wasm/quickjs-child.js'),
    )
  })

  test('that is missing is an error with a remedy', () => {
    expect(() => packageFile('../wasm/quickjs-child', folderWith()('bundle.js'))).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('`external`') as unknown }),
    )
  })
})

test('a thread does not import a factory by the URL of the program, which would run again', () => {
  const url = pathToFileURL(realpathSync(process.argv[1]!)).href
  expect([isProgram(url), isProgram(import.meta.url)]).toEqual([true, false])
  const spec = (address: string) =>
    importedSpec({
      kind: 'custom',
      factory: { module: { specifier: 'acme', export: 'acme', url: address } },
      context: { settings: {} },
    } as never).module
  expect([spec(url).url, spec(import.meta.url).url]).toEqual([undefined, import.meta.url])
})
