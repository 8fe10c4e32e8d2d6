import { describe, expect, it } from 'vitest'
import { foldersNamed, foldersOf, withDependants } from './changed-packages.ts'
import type { WorkspacePackage } from './workspace.ts'

describe('foldersOf', () => {
  it('gives each package once, and the scripts', () => {
    const files = ['packages/host/src/a.ts', 'packages/host/README.md', 'scripts/dev.ts', 'docs/chats.md']
    expect(foldersOf(files)).toEqual(['packages/host', 'scripts'])
  })

  it('tells a package from one of a longer name', () => {
    expect(foldersOf(['packages/host-servers/src/index.ts'])).toEqual(['packages/host-servers'])
  })
})

describe('foldersNamed', () => {
  it('takes short names and folders', () => {
    expect(foldersNamed(['agent', 'packages/kernel', 'apps/traces/'])).toEqual([
      'packages/agent',
      'packages/kernel',
      'apps/traces',
    ])
  })

  it('refuses an unknown name', () => {
    expect(() => foldersNamed(['agnet'])).toThrow('cannot test `agnet`: the packages are agent, ')
  })
})

describe('withDependants', () => {
  const workspace = (name: string, dependencies: string[], devDependencies: string[] = []): WorkspacePackage => ({
    name: `@x/${name}`,
    folder: `packages/${name}`,
    manifest: {
      name: `@x/${name}`,
      version: '1.0.0',
      dependencies: Object.fromEntries(dependencies.map((each) => [`@x/${each}`, 'workspace:^'])),
      devDependencies: Object.fromEntries(devDependencies.map((each) => [`@x/${each}`, 'workspace:^'])),
    },
  })
  const packages = [workspace('group', ['agent']), workspace('agent', ['kernel']), workspace('kernel', [], ['testing'])]

  it.each([
    ['group', ['group']],
    ['agent', ['agent', 'group']],
    ['kernel', ['kernel', 'agent', 'group']],
  ])('of %s are %j', (name, folders) => {
    const found = withDependants([`packages/${name}`], packages)
    expect(found.toSorted()).toEqual(folders.map((each) => `packages/${each}`).toSorted())
  })

  it('keeps a folder without a manifest', () => {
    expect(withDependants(['scripts'], packages)).toEqual(['scripts'])
  })
})
