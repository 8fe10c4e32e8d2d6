import { describe, expect, it } from 'vitest'
import { compareBuild, sourceMapFaults, tarballFaults } from './packed-files.ts'

const reached = ['dist/index.js', 'dist/run/run.d.ts']
const manifest = { name: '@x/agent', version: '0.1.0', dependencies: { '@x/kernel': '^0.1.0', openai: '7.55.0' } }

describe('tarballFaults', () => {
  it('accepts what the entries need and what npm adds', () => {
    const files = ['package.json', 'README.md', 'LICENSE', ...reached]
    expect(tarballFaults(files, reached, manifest)).toEqual([])
  })

  it.each(['dist/inner.js.map', 'dist/run/inner.d.ts', 'dist/.npmignore', 'src/data.json'])('names %s', (file) => {
    expect(tarballFaults([...reached, file], reached, manifest)).toEqual([expect.stringContaining(file)])
  })

  it('names a helper of tests even where something needs it', () => {
    const helper = 'dist/server.fake.js'
    expect(tarballFaults([helper], [helper], manifest)).toEqual([expect.stringContaining(helper)])
  })

  it('names an entry that resolves to sources', () => {
    const exports = { '.': { '@x/source': './src/index.ts', default: './dist/index.js' } }
    expect(tarballFaults([], reached, { ...manifest, exports })).toEqual([expect.stringContaining('`.`')])
  })

  it('names a range of ours that accepts one version only', () => {
    const pinned = { ...manifest, dependencies: { '@x/kernel': '0.1.0' } }
    expect(tarballFaults([], reached, pinned)).toEqual([expect.stringContaining('@x/kernel')])
  })
})

describe('sourceMapFaults', () => {
  const read = (file: string): string => JSON.stringify({ sources: [`../src/${file.slice(5, file.indexOf('.'))}.ts`] })

  it('accepts modules and declarations that lead to sources of the package', () => {
    const files = ['dist/a.js', 'dist/a.js.map', 'dist/a.d.ts', 'dist/a.d.ts.map', 'src/a.ts', 'dist/data.json']
    expect(sourceMapFaults(files, read)).toEqual([])
  })

  it.each(['', 'import { a, b } from "./shared.js";\nexport { a, b };\n'])('accepts %j without a map', (module) => {
    expect(sourceMapFaults(['dist/names.js'], () => module)).toEqual([])
  })

  it('accepts data among the sources of a map', () => {
    const sources = JSON.stringify({ sources: ['../src/prices.json', '../src/a.ts'] })
    expect(sourceMapFaults(['dist/a.js', 'dist/a.js.map', 'src/a.ts'], () => sources)).toEqual([])
  })

  it.each([
    [['dist/a.js', 'src/a.ts'], 'dist/a.js has no map'],
    [['dist/a.d.ts', 'src/a.ts'], 'dist/a.d.ts has no map'],
    [['dist/a.js', 'dist/a.js.map'], 'dist/a.js.map names src/a.ts'],
    [['dist/a.d.ts', 'dist/a.d.ts.map', 'src/b.ts'], 'dist/a.d.ts.map names src/a.ts'],
  ])('of %j tells that %s', (files, fault) => {
    expect(sourceMapFaults(files, read)).toEqual([expect.stringContaining(fault)])
  })
})

describe('compareBuild', () => {
  const built = { 'dist/index.js': 'a', 'dist/index.d.ts': 'b', 'src/index.ts': 'c' }
  const named = new Set(['dist/index.js', 'dist/index.d.ts'])

  it('accepts a package as its build has left it', () => {
    expect(compareBuild(built, built, named)).toEqual([])
  })

  it('names a file of the build that is gone', () => {
    const { 'dist/index.js': _, ...left } = built
    expect(compareBuild(built, left, named)).toEqual(['dist/index.js is missing'])
  })

  it('names an entry that no build has made', () => {
    expect(compareBuild(built, built, new Set(['dist/steps.js']))).toEqual(['dist/steps.js is missing'])
  })

  it.each(['src/index.ts', 'dist/index.js'])('names %s if it has changed since', (file) => {
    expect(compareBuild(built, { ...built, [file]: 'd' }, named)).toEqual([`${file} has changed since the build`])
  })

  it('names a source that came since', () => {
    expect(compareBuild(built, { ...built, 'src/new.ts': 'd' }, named)).toEqual(['src/new.ts is newer than the build'])
  })
})
