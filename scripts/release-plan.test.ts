import { describe, expect, it } from 'vitest'
import { triedPairs, withTrials, type Evidence } from '../apps/live/src/evidence.ts'
import {
  addSection,
  inPublishOrder,
  liveGate,
  provenanceOf,
  readChangeset,
  registryRefusals,
  repositoryRefusals,
  type RegistryState,
  type RepositoryState,
} from './release-plan.ts'

const manifest = (name: string, ...needed: string[]) => ({
  manifest: { name, version: '0.1.0', dependencies: Object.fromEntries(needed.map((each) => [each, '^0.1.0'])) },
})

describe('repositoryRefusals', () => {
  const clean: RepositoryState = {
    version: '0.1.0',
    packages: [manifest('@x/kernel'), manifest('@x/agent')],
    branch: 'main',
    changes: [],
    changelog: '# Changelog\n\n## 0.1.0 (2026-12-01)\n\nThe first release.\n',
    repository: 'https://github.com/acme/agents',
    registry: 'https://registry.npmjs.org/',
  }

  it('lets a committed and described version of main go', () => {
    expect(repositoryRefusals(clean)).toEqual([])
  })

  it.each<[string, Partial<RepositoryState>]>([
    ['the tree has changes: commit or remove a.ts, b.ts', { changes: ['a.ts', 'b.ts'] }],
    ['1, 2, 3, 4, 5 and 2 more', { changes: ['1', '2', '3', '4', '5', '6', '7'] }],
    ['the branch `next`', { branch: 'next' }],
    ['@x/kernel has the version 0.1.0 and not 0.2.0', { version: '0.2.0', changelog: '## 0.2.0\n' }],
    ['CHANGELOG.md says nothing of 0.1.0', { changelog: '## 0.1.01\n\n## 0x1y0\n' }],
    ['the repository is still', { repository: 'https://forge.example/x/agents' }],
  ])('says: %s', (reason, change) => {
    expect(repositoryRefusals({ ...clean, ...change })).toEqual([expect.stringContaining(reason)])
  })

  it.each(['http://127.0.0.1:4873/', 'http://localhost:4873/'])(
    'rehearses at %s without a real repository',
    (registry) => {
      expect(repositoryRefusals({ ...clean, repository: 'https://forge.example/x/agents', registry })).toEqual([])
    },
  )
})

describe('liveGate', () => {
  const TODAY = '2026-12-01'
  const on = (day: string): Evidence =>
    withTrials(
      {},
      triedPairs().map(([vendor, capability]) => ({
        ...{ vendor, capability, trial: { passed: { day, version: '0.1.0', model: 'm' } } },
      })),
    )

  it('passes where every vendor passed in the last days', () => {
    expect(liveGate(on('2026-11-01'), TODAY, undefined)).toEqual({ shown: 'passed', refusals: [] })
  })

  it.each<[string, Evidence]>([
    ['openai-chat answer was never run', {}],
    ['openai-chat answer was run 31 days ago', on('2026-10-31')],
    [
      'google tools failed on 2026-11-30',
      withTrials(on(TODAY), [
        { vendor: 'google', capability: 'tools', trial: { failed: { day: '2026-11-30', reason: 'status 500' } } },
      ]),
    ],
  ])('refuses: %s', (reason, evidence) => {
    const { shown, refusals } = liveGate(evidence, TODAY, undefined)
    expect([shown, ...refusals]).toEqual(['refused', expect.stringContaining(reason)])
  })

  it('is waived by name and reason alone', () => {
    expect(liveGate({}, TODAY, 'Ann Lee: no keys yet')).toEqual({
      shown: 'waived by Ann Lee: no keys yet',
      refusals: [],
    })
    for (const waiver of ['', 'Ann Lee', ': no keys', ' : no keys', 'Ann Lee: '])
      expect(liveGate({}, TODAY, waiver)).toMatchObject({ shown: 'refused', refusals: [expect.any(String)] })
  })
})

describe('registryRefusals', () => {
  const state = (...published: ('no' | 'same' | 'other')[]): RegistryState => ({
    version: '0.1.0',
    packages: published.map((each, at) => ({ ...manifest(`@x/p${at}`), bytes: 1, published: each })),
    changesets: [],
    tagged: undefined,
    head: 'abcdef0123456789',
  })

  it.each([
    ['a version that nobody has', state('no', 'no')],
    ['one that broke off', state('same', 'no')],
    ['one that lacks its tag', state('same', 'same')],
    ['one that was tagged here and lacks a package', { ...state('same', 'no'), tagged: 'abcdef0123456789' }],
  ])('lets %s go on', (_, whole) => {
    expect(registryRefusals(whole)).toEqual([])
  })

  it.each<[string, RegistryState]>([
    ['0.1.0 is published: add a changeset', { ...state('same', 'same'), tagged: 'abcdef0123456789' }],
    ['0.1.0 of @x/p1 is published with other contents', state('no', 'other')],
    ['the tag v0.1.0 is at 12345678', { ...state('no', 'no'), tagged: '1234567890' }],
    ['0.1.0 is not published: move what they say', { ...state('same', 'no'), changesets: ['a.md'] }],
    ['in no version (a.md): run `pnpm release --next`', { ...state('same', 'same'), changesets: ['a.md'] }],
  ])('says: %s', (reason, refused) => {
    expect(registryRefusals(refused)).toEqual([expect.stringContaining(reason)])
  })
})

describe('inPublishOrder', () => {
  it('puts packages behind their dependencies', () => {
    const packages = [
      manifest('@x/agent', '@x/kernel', 'zod'),
      manifest('@x/kernel', '@x/interfaces'),
      manifest('@x/interfaces'),
    ]
    const ordered = inPublishOrder(packages).map((each) => each.manifest.name)
    expect(ordered).toEqual(['@x/interfaces', '@x/kernel', '@x/agent'])
  })

  it('refuses a circle', () => {
    expect(() => inPublishOrder([manifest('@x/a', '@x/b'), manifest('@x/b', '@x/a')])).toThrow('depends on itself')
  })
})

it.each([
  ['https://registry.npmjs.org/', { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token' }, true],
  ['https://registry.npmjs.org/', { SIGSTORE_ID_TOKEN: 'token' }, true],
  ['https://registry.npmjs.org/', {}, false],
  ['https://npm.acme.com/', { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token' }, false],
])('gives provenance at %s with %j: %s', (registry, env, given) => {
  expect(provenanceOf(registry, env).given).toBe(given)
})

describe('addSection', () => {
  const changelog = '# Changelog\n\nOne page.\n\n## 0.1.0\n\nThe first.\n'
  const feature = readChangeset('---\n\'@x/agent\': minor\n"@x/kit": patch\n---\n\nAgents dance.\n\nThey stop, too.\n')
  const fix = readChangeset("---\n'@x/model': patch\n---\n\nA cache closes.\n")
  const empty = readChangeset('---\n---\n')

  it('puts what is new and what is mended above the versions before', () => {
    expect(addSection(changelog, '0.2.0', '2027-01-02', [fix, empty, feature])).toBe(
      '# Changelog\n\nOne page.\n\n## 0.2.0 (2027-01-02)\n\n' +
        '### New and changed\n\n- `@x/agent`, `@x/kit`: Agents dance.\n\n  They stop, too.\n\n' +
        '### Mended\n\n- `@x/model`: A cache closes.\n\n## 0.1.0\n\nThe first.\n',
    )
  })

  it('leaves out a part that has nothing', () => {
    expect(addSection(changelog, '0.1.1', '2027-01-02', [fix])).not.toContain('### New')
  })

  it('refuses a text that is no changeset', () => {
    expect(() => readChangeset('# Changesets\n')).toThrow('# Changesets')
  })
})
