import { describe, expect, it } from 'vitest'
import { readPackages } from '../workspace.ts'
import { findCycles, findUpwardImports, readFileGraph } from './file-graph.ts'

/** The folders of a package in the order in which they may be imported: each imports only from those before it. */
const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  'packages/agent': [
    'data',
    'options',
    'console',
    'memory',
    'run',
    'durability',
    'human',
    'tool',
    'reply',
    'chat',
    'agent',
  ],
  'packages/group': ['group', 'speaker', 'run', 'handoff', 'pattern'],
  'packages/history': ['count', 'draft', 'views', 'cut'],
  'packages/model': ['data', 'cache', 'usage', 'config', 'clients', 'request', 'call', 'wrapper'],
  'packages/provider-kit': ['json', 'failure', 'message', 'http', 'schema', 'answer', 'catalogue', 'client'],
}

describe.each(readPackages())('$name', ({ folder }) => {
  it('has no files that import each other, not even types', () => {
    expect(findCycles(readFileGraph(folder))).toEqual([])
  })
})

describe.each(Object.entries(FOLDER_ORDER))('%s', (folder, order) => {
  it('imports between its folders in one direction', () => {
    expect(findUpwardImports(readFileGraph(folder), `${folder}/src`, order)).toEqual([])
  })
})

describe('the rules', () => {
  const graph = new Map([
    ['p/src/a/one.ts', ['p/src/b/two.ts']],
    ['p/src/b/two.ts', ['p/src/a/three.ts']],
    ['p/src/a/three.ts', ['p/src/a/one.ts']],
  ])

  it('find a cycle by several files', () => {
    expect(findCycles(graph)).toEqual([['p/src/a/one.ts', 'p/src/b/two.ts', 'p/src/a/three.ts']])
    expect(
      findCycles(
        new Map([
          ['p/src/a.ts', ['p/src/b.ts']],
          ['p/src/b.ts', []],
        ]),
      ),
    ).toEqual([])
  })

  it('find an import against the order, and refuse a folder that is not listed', () => {
    expect(findUpwardImports(graph, 'p/src', ['a', 'b'])).toEqual(['p/src/a/one.ts -> p/src/b/two.ts'])
    expect(() => findUpwardImports(graph, 'p/src', ['a'])).toThrow('add it to FOLDER_ORDER')
  })
})
