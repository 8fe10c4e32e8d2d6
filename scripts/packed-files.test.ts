import { describe, expect, it } from 'vitest'
import { tarballFaults } from './packed-files.ts'

const reached = ['dist/index.js', 'dist/run/run.d.ts']
const manifest = { name: '@x/agent', version: '0.1.0', dependencies: { '@x/kernel': '^0.1.0', openai: '7.55.0' } }

describe('tarballFaults', () => {
  it('accepts what the entries need and what npm adds', () => {
    const files = ['package.json', 'README.md', 'LICENSE', ...reached]
    expect(tarballFaults(files, reached, manifest)).toEqual([])
  })

  it.each(['dist/index.js.map', 'dist/run/inner.d.ts', 'dist/.npmignore', 'src/index.ts'])('names %s', (file) => {
    expect(tarballFaults([...reached, file], reached, manifest)).toEqual([expect.stringContaining(file)])
  })

  it('names a helper of tests even where something needs it', () => {
    const helper = 'dist/server.fake.js'
    expect(tarballFaults([helper], [helper], manifest)).toEqual([expect.stringContaining(helper)])
  })

  it('names a range of ours that accepts one version only', () => {
    const pinned = { ...manifest, dependencies: { '@x/kernel': '0.1.0' } }
    expect(tarballFaults([], reached, pinned)).toEqual([expect.stringContaining('@x/kernel')])
  })
})
