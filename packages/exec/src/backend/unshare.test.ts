import { expect, it } from 'vitest'
import { unshareCommand } from './unshare.ts'

it('keeps the variables of code off the command line, which other users of the machine may read', () => {
  const { argv, env } = unshareCommand(
    {
      ...{ kind: 'unshare', given: null, network: 'none', readOnly: [], hostPath: '' },
      ...{ rules: { apply: 'safe', writable: [] }, env: { 'A KEY': 'sesame "open"' } },
      workspace: { path: '/w', inside: '/w', holder: null, byRoot: false, isLayered: false },
    },
    { programs: { directories: [], links: [], covered: [] }, workspace: '/w', filter: null },
    ['true'],
  )
  expect(argv.join(' ')).not.toContain('sesame')
  expect(Object.values(env)).toContain('A KEY=sesame "open"')
})
