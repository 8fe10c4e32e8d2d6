import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findGroups, makeGroup, type GroupBases } from '../backend/control-group.ts'
import { ways } from '../ways.fake.ts'

// Memory that no process is seen to have.
const MIB = 2 ** 20
const LIMITS = { timeout: 8, memoryBytes: 192 * MIB, pids: 24 }
const python = (code: string): { language: string; code: string } => ({ language: 'python', code })

/** Each tells how many MiB it holds, if it comes so far. */
const ATTACKS = {
  'mapped by many, its descriptors closed': `
import mmap, os, time
for c in range(6):
  if os.fork() == 0:
    kept = []
    for i in range(4):
      f = os.memfd_create("x"); os.posix_fallocate(f, 0, 30 * 2**20)
      kept.append(mmap.mmap(f, 30 * 2**20, mmap.MAP_SHARED, mmap.PROT_READ))
    os.closerange(3, 256); time.sleep(4); os._exit(0)
failed = 0
for c in range(6): failed += os.wait()[1] != 0
print("held", 120 * (6 - failed))`,
  'in flight between two sockets': `
import array, os, socket, time
total, kept = 0, []
for r in range(3):
  a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM); kept += [a, b]
  for i in range(10):
    f = os.memfd_create("x"); os.posix_fallocate(f, 0, 30 * 2**20)
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))]); os.close(f); total += 30
time.sleep(2); print("held", total)`,
  'of System V, after the number of segments was set back': `
import ctypes, time
for name in ("shmmni", "shmmax", "shmall"):
  try: open("/proc/sys/kernel/" + name, "w").write("99999999"); print("set", name)
  except OSError: pass
c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p
got = 0
for i in range(80):
  s = c.shmget(0, 10 * 2**20, 0o1600)
  if s < 0: break
  p = c.shmat(s, None, 0)
  ctypes.memset(p, 1, 10 * 2**20); c.shmdt(ctypes.c_void_p(p)); got += 10
time.sleep(1); print("held", got)`,
  'handed from a process to its children, none of which touched it': `
import mmap, os, time
def go(left):
  m = mmap.mmap(-1, 60 * 2**20)
  for at in range(0, 60 * 2**20, 4096): m[at] = 1
  if os.fork() == 0: time.sleep(4); os._exit(0)
  m.close()
  if left: go(left - 1)
go(11); time.sleep(2); print("held", 720)`,
}

const tried = await ways(['bubblewrap', 'unshare'])
const bases = process.platform === 'linux' ? findGroups() : null
if (bases === null) console.warn('untested: control groups, which this user cannot make here')
else console.warn(`tested: control groups of version ${bases.version}, untested: the other version`)

describe.each(tried)('$kind counts memory', ({ missing, create }) => {
  it.skipIf(missing !== null).each(Object.entries(ATTACKS))('%s', async (_, code) => {
    await using executor = create({ limits: LIMITS })
    const { output, blocks } = await executor.executeCodeBlocks([python(code)])
    expect(output).not.toContain('set ')
    const held = Number(/held (?<held>\d+)/u.exec(output)?.groups?.['held'] ?? 0)
    expect([held <= 192, blocks![0]!.exitCode !== 0 || held <= 192]).toEqual([true, true])
    expect((await executor.executeCodeBlocks([python('print("next")')])).output).toBe('next\n')
  })

  it.skipIf(missing !== null || !bases?.memory)(
    'as a wall, where control groups can be made, and leaves none of them',
    async () => {
      const left = (): string[] =>
        readdirSync(bases!.memory!).filter((name) => name.startsWith(`x-exec-${process.pid}-`))
      await using executor = create({ limits: { ...LIMITS, workspaceBytes: 12 * MIB } })
      // Files in memory are allowed where they are counted.
      const small = await executor.executeCodeBlocks([
        python('import os\nos.write(os.memfd_create("x"), bytes(2**20)); print("small")'),
      ])
      expect(small.output).toBe('small\n')
      const all =
        'import os\nkept = []\nfor i in range(90): kept.append(os.memfd_create("x")); os.posix_fallocate(kept[-1], 0, 10 * 2**20)\nprint("all")'
      const { output, blocks } = await executor.executeCodeBlocks([python(all)])
      expect([blocks![0]!.reason, output.includes('all')]).toEqual(['memory', false])
      expect(left()).toEqual([])
    },
  )

  it.skipIf(missing !== null)('and not files of the work directory, which have limits of their own', async () => {
    await using executor = create({ limits: { ...LIMITS, memoryBytes: 64 * MIB, workspaceBytes: 200 * MIB } })
    const code =
      'import time\nfor i in range(6): open(f"f{i}", "wb").write(bytes(20 * 2**20))\ntime.sleep(0.5)\nprint("kept")'
    expect((await executor.executeCodeBlocks([python(code)])).output).toBe('kept\n')
  })
})

describe('control groups', () => {
  let proc: string
  beforeAll(() => (proc = mkdtempSync(join(tmpdir(), 'x-groups-'))))
  afterAll(() => rmSync(proc, { recursive: true }))
  const machine = (groups: string, mounts: string): GroupBases | null => {
    mkdirSync(join(proc, 'self'), { recursive: true })
    writeFileSync(join(proc, 'self/cgroup'), groups)
    writeFileSync(join(proc, 'self/mountinfo'), mounts)
    return findGroups(proc)
  }
  const directory = (name: string, controllers = ''): string => {
    mkdirSync(join(proc, name), { recursive: true })
    writeFileSync(join(proc, name, 'cgroup.subtree_control'), controllers)
    return join(proc, name)
  }

  it('are found where version 2 delegates memory and processes to the group above', () => {
    const above = directory('unified/app', 'cpu memory pids')
    mkdirSync(join(above, 'main'))
    const mount = `30 20 0:26 / ${join(proc, 'unified')} rw - cgroup2 cgroup2 rw`
    // The group itself has processes, so that nothing can be delegated below it.
    expect(machine('0::/app/main\n', mount)).toEqual({ version: 2, memory: above, pids: above })
    const group = makeGroup({ version: 2, memory: above, pids: above }, { memoryBytes: 4096, pids: 3 })!
    expect(group.memory).toBe(group.pids)
    expect([
      readFileSync(join(group.memory!, 'memory.max'), 'utf8'),
      readFileSync(join(group.pids!, 'pids.max'), 'utf8'),
    ]).toEqual(['4096', '3'])
  })

  it('are found by version 1 as far as the process may make them, below a mount that shows a part', () => {
    const memory = directory('memory/mine')
    const mounts = `31 20 0:27 /docker/id ${join(proc, 'memory')} rw - cgroup cgroup rw,memory\n32 20 0:28 / ${join(proc, 'nowhere')} rw - cgroup cgroup rw,pids`
    expect(machine('4:memory:/docker/id/mine\n8:pids:/gone\n', mounts)).toEqual({ version: 1, memory, pids: null })
  })

  it('are none where nothing is mounted or allowed', () => {
    expect(machine('0::/\n', '')).toBeNull()
    expect(findGroups(join(proc, 'no-such-machine'))).toBeNull()
  })
})
