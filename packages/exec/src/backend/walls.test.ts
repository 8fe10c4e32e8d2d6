import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'
import { createCustomExecutor } from '../create-custom-executor.ts'
import type { BackendFactory } from '../custom/backend.ts'
import { describeBackend, type ExecutorFacts, type ExecutorKind, wallsOf, withWalls } from './kinds.ts'
import type { MachineFacts, Walls } from './walls.ts'

const FACTS: ExecutorFacts = {
  limits: {} as never,
  workDir: '/work',
  given: null,
  workspace: { path: '/work', inside: '/work', holder: 7, byRoot: false, isLayered: false },
  env: {},
  network: 'none',
  readOnly: [],
  rules: { apply: 'safe', writable: [] },
  image: 'image',
  runtime: undefined,
  socket: '/socket',
  hostEnv: {},
}
const ON_DISK = { workspace: { ...FACTS.workspace, holder: null } }

const ROOT: MachineFacts = { isRoot: true, groups: { memory: '/m', pids: '/p' }, hasFilter: true, hasLoader: true }
const USER: MachineFacts = { isRoot: false, groups: null, hasFilter: true, hasLoader: true }
const BARE_ROOT: MachineFacts = { ...ROOT, groups: null }
const BARE_USER: MachineFacts = { ...USER, hasLoader: false }

const wallsIn = (kind: ExecutorKind, machine: MachineFacts, facts: Partial<ExecutorFacts> = {}): Walls =>
  wallsOf(describeBackend(kind, { ...FACTS, ...facts }), machine)

/** Rows of the table in SECURITY.md: where code runs, and the walls there. */
const ROWS: readonly (readonly [kind: string, where: string, walls: Walls])[] = [
  ['`bubblewrap`, `unshare`', 'as root, or where control groups are delegated', wallsIn('bubblewrap', ROOT)],
  ['`bubblewrap`, `unshare`', 'as root, without control groups', wallsIn('bubblewrap', BARE_ROOT)],
  ['`bubblewrap`, `unshare`', 'as a user', wallsIn('unshare', USER)],
  ['`bubblewrap`, `unshare`', 'where nothing can be mounted', wallsIn('bubblewrap', USER, ON_DISK)],
  ['`unshare`', 'without Perl and Python', wallsIn('unshare', BARE_USER)],
  ['`wasm`', 'everywhere', wallsIn('wasm', USER)],
  ['`container`', 'the default runtime', wallsIn('container', USER)],
  ['`container`', "`runtime: 'runsc'`", wallsIn('container', USER, { runtime: 'runsc' })],
  ['of yours, Jupyter', 'what it does not promise by `walls`', wallsIn('local', USER)],
  ['`local`', 'everywhere', wallsIn('local', USER)],
]

it('are listed in SECURITY.md as they are', () => {
  const page = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8')
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const table = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(cells)
  for (const [kind, where, { memory, processes, disk, network, kernel }] of ROWS) {
    expect(table).toContainEqual([kind, where, memory, processes, disk, network, kernel])
  }
  const from = table.findIndex(([, , name]) => name === '`memory`')
  expect(table.slice(from + 2, from + 2 + ROWS.length).map(([kind, where]) => [kind, where])).toEqual(
    ROWS.map(([kind, where]) => [kind, where]),
  )
})

describe('walls', () => {
  it('are the weakest of what may run a language', () => {
    expect(wallsIn('auto', USER)).toEqual({
      memory: 'watched',
      processes: 'kernel',
      disk: 'kernel',
      network: 'closed',
      kernel: 'filtered',
      program: 'user',
    })
    expect(wallsIn('sandbox', BARE_USER).kernel).toBe('shared')
  })

  it('tell an open network', () => {
    expect(wallsIn('sandbox', USER, { network: 'host' }).network).toBe('open')
    expect(wallsIn('container', USER, { network: 'host' }).network).toBe('open')
  })

  it('of an executor tell what holds on this machine', async () => {
    await using wasm = createCodeExecutor('wasm')
    expect(wasm.walls).toMatchObject({ memory: 'kernel', network: 'closed', kernel: 'own' })
    await using local = createCodeExecutor('local', { trust: 'host' })
    expect(local.walls).toMatchObject({ memory: 'none', network: 'open', kernel: 'shared' })
  })
})

describe('required walls', () => {
  it('leave out the kinds that do not have them', () => {
    const kinds = (machine: MachineFacts, ...required: Parameters<typeof withWalls>[1]): string[] => {
      const spec = withWalls(describeBackend('auto', FACTS), required, machine)
      return spec.kind === 'auto' ? spec.candidates.map((candidate) => candidate.kind) : []
    }
    expect(kinds(USER, 'memory:kernel')).toEqual(['quickjs', 'pyodide', 'container'])
    expect(kinds(ROOT, 'memory:kernel')).toEqual(['quickjs', 'bubblewrap', 'unshare', 'pyodide', 'container'])
    expect(kinds(USER, 'memory:watched', 'kernel:filtered')).toHaveLength(5)
    expect(kinds(BARE_USER, 'kernel:filtered')).toEqual(['quickjs', 'bubblewrap', 'pyodide', 'container'])
    expect(kinds(ROOT, 'kernel:own')).toEqual(['quickjs', 'pyodide'])
  })

  it('that do not stand are told with what stands, before anything runs', () => {
    expect(() => withWalls(describeBackend('sandbox', FACTS), ['memory:kernel', 'network:closed'], USER)).toThrow(
      expect.objectContaining({
        code: 'no-sandbox',
        message:
          'cannot create a code executor that meets `require`: bubblewrap has `memory:watched` and not `memory:kernel`; unshare has `memory:watched` and not `memory:kernel`. See docs/walls.md for what gives each wall, or require less',
      }),
    )
    expect(() => createCodeExecutor('local', { trust: 'host', require: ['network:closed'] })).toThrow(
      'local has `network:open` and not `network:closed`',
    )
  })

  it('that stand make an executor like any other', async () => {
    await using executor = createCodeExecutor('auto', { require: ['kernel:own', 'network:closed'] })
    expect(executor.walls.kernel).toBe('own')
    const { output } = await executor.executeCodeBlocks([{ language: 'javascript', code: 'console.log(1 + 1)' }])
    expect(output).toBe('2\n')
  })

  it('of a backend of yours are what it promises', async () => {
    const factory = (walls?: BackendFactory['walls']): BackendFactory => ({
      isolation: 'container',
      walls,
      specVersion: 1,
      createBackend: () => ({ fault: () => null, run: async () => ({ exitCode: 0 }) }),
    })
    await using executor = createCustomExecutor(factory({ kernel: 'own' }), { require: ['kernel:own'] })
    expect(executor.walls).toMatchObject({ kernel: 'own', memory: 'none' })
    expect(() => createCustomExecutor(factory(), { require: ['kernel:own'] })).toThrow(
      'custom has `kernel:shared` and not `kernel:own`',
    )
  })

  it.each(['memory', 'memory:cgroup', 'disc:kernel', 7])('have names: not %j', (name) => {
    expect(() => createCodeExecutor('auto', { require: [name as never] })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('which is not a wall') }),
    )
  })
})
