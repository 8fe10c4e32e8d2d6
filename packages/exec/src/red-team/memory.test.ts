import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findGroups, makeGroup, type GroupBases } from '../backend/control-group.ts'
import { executorMatrix, SANDBOX_KINDS, python } from '../executor-matrix.fake.ts'

// A busy machine is slow.
vi.setConfig({ testTimeout: 60_000 })

// Memory that no process is seen to have.
const MIB = 2 ** 20
const LIMITS = { timeout: 8, memoryBytes: 192 * MIB, pids: 24 }

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

/** Asks the kernel for memory that it holds for nobody, and tells what it answers. */
const REFUSED = `
import ctypes, os, platform, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *arguments): print(name, "done" if getattr(libc, name)(*arguments) >= 0 else ctypes.get_errno())
page = ctypes.create_string_buffer(4096)
r, w = os.pipe()
attempt("vmsplice", w, ctypes.c_char_p(struct.pack("PN", ctypes.addressof(page), 4096)), 1, 0)
attempt("syscall", 206 if platform.machine() == "x86_64" else 0, 64, ctypes.byref(ctypes.c_ulong(0)))
rules = [(1, 0xffffffff)] + [(2, os.getuid())] * 8000 + [(4, 0xffffffff), (16, 0xffffffff), (32, 0xffffffff)]
attempt("semget", 0, 32000, 0o1600)
attempt("msgget", 0, 0o1600)
attempt("shmget", 0, 4096, 0o1600)
attempt("syscall", 444, None, 0, 1)
attempt("syscall", 447, 0)
attempt("ptrace", 0, 0, 0, 0)
try: os.setxattr("/tmp", "system.posix_acl_access", struct.pack("I", 2) + b"".join(struct.pack("HHI", tag, 7, who) for tag, who in rules)); print("set")
except OSError as error: print("rules", error.errno)
attempt("prctl", 4, 0, 0, 0, 0)
attempt("prctl", 22, 2, 0, 0, 0)
for protocol in (33, 132, 136, 262):
  try: socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol); print("made")
  except OSError as error: print(error.errno, end=" ")`

/** Reads one byte of every two MiB of memory that is not there, in a process without a limit of addresses. */
const SPARSE = `
import ctypes
libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
while True:
  start = libc.mmap(None, 2**30, 1, 0x4022, -1, 0)
  libc.madvise(start, 2**30, 15)
  for at in range(0, 2**30, 2**21): ctypes.c_char.from_address(start + at).value`

/** Lets the kernel keep more and more for code that has next to nothing itself. */
const KERNEL_ATTACKS = {
  'tables of pages, by reads of empty memory': {
    language: 'javascript',
    code: `require('child_process').execFileSync('python3', ['-c', ${JSON.stringify(SPARSE)}])`,
  },
  'datagrams that nobody reads': python(`
import os, socket, time
for child in range(12):
  if os.fork() == 0:
    kept = []
    try:
      while True:
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); one.setblocking(False); kept += [one, other]
        try:
          while True: one.send(bytes(50000))
        except BlockingIOError: pass
    except OSError: pass
    time.sleep(6); os._exit(0)
for child in range(12): os.wait()`),
  'connections that nobody accepts, whose callers are gone': python(`
import itertools, socket, time
kept = []
for name in itertools.count():
  server = socket.socket(socket.AF_UNIX); server.bind(f"\\0{name}"); server.listen(4096); kept.append(server)
  for i in range(4096):
    caller = socket.socket(socket.AF_UNIX); caller.setblocking(False)
    try: caller.connect(f"\\0{name}")
    except OSError: break
    try:
      while True: caller.send(bytes(65536))
    except OSError: pass
    caller.close()`),
  'locks of parts of many files': python(`
import fcntl, itertools, os
files = [os.open(f"/tmp/{i}", os.O_RDWR | os.O_CREAT) for i in range(200)]
for round in itertools.count():
  for file in files: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 10**9 - round * 2)`),
}

/** Makes files without a byte in them, until there is no room for more. */
const NODES = `
import os
try:
  for i in range(10**7): os.close(os.open(f"/tmp/{i}", os.O_CREAT | os.O_WRONLY))
except OSError as error: print("made", i, "error", error.errno)`

/** Fills connections to itself that nobody reads, and tells how many MiB they hold. */
const CONNECTIONS = `
import socket, time
kept, sent = [], 0
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
for i in range(100):
  try: one = socket.create_connection(server.getsockname(), 1)
  except OSError: break
  kept += [one, server.accept()[0]]; one.setblocking(False)
  for patience in range(4):
    try:
      while True: sent += one.send(bytes(2**18))
    except OSError: time.sleep(0.002)
print("held", sent // 2**20); time.sleep(1)`

/** Holds full sockets by a program that nobody may read, so that none but root sees what it has open. */
const UNREADABLE = `
import os, shutil, sys
shutil.copy(os.path.realpath(sys.executable), "/tmp/python"); os.chmod("/tmp/python", 0o111)
code = '''
import os, socket, time
held = 0
for child in range(6):
  if os.fork() == 0:
    kept = []
    for i in range(120):
      one, other = socket.socketpair(); one.setblocking(False); kept += [one, other]
      try:
        while True: held += one.send(bytes(65536))
      except OSError: pass
    time.sleep(2); os._exit(0)
failed = 0
for child in range(6): failed += os.wait()[1] != 0
print("all" if failed == 0 else "some")'''
os.execv("/tmp/python", ["python3", "-c", code])`

const matrix = await executorMatrix(SANDBOX_KINDS)
const bases = process.platform === 'linux' ? findGroups() : null
if (bases === null) console.warn('untested: control groups, which this user cannot make here')
else console.warn(`tested: control groups of version ${bases.version}, untested: the other version`)

describe.each(matrix)('$kind counts memory', ({ missing, create }) => {
  it.skipIf(missing !== null).each(Object.entries(ATTACKS))('%s', async (_, code) => {
    await using executor = create({ limits: LIMITS })
    const { output, blocks } = await executor.executeCodeBlocks([python(code)])
    expect(output).not.toContain('set ')
    const held = Number(/held (?<held>\d+)/u.exec(output)?.groups?.['held'] ?? 0)
    expect([held <= 192, blocks![0]!.exitCode !== 0 || held <= 192]).toEqual([true, true])
    expect((await executor.executeCodeBlocks([python('print("next")')])).output).toBe('next\n')
  })

  it.skipIf(missing !== null)('that the kernel would hold for nobody: it is refused', async () => {
    await using executor = create({ limits: LIMITS })
    const { output } = await executor.executeCodeBlocks([python(REFUSED)])
    const unknown = ['vmsplice', 'syscall', 'semget', 'msgget', 'shmget', 'syscall', 'syscall']
    expect(output).toBe(
      `${unknown.map((call) => `${call} 38\n`).join('')}ptrace 1\nrules 95\nprctl 1\nprctl 1\n93 93 93 93 `,
    )
  })

  it.skipIf(missing !== null).each([
    ['of files without a byte', NODES],
    ['of connections that nobody reads', CONNECTIONS],
  ])('%s', async (_, code) => {
    await using executor = create({
      limits: { ...LIMITS, memoryBytes: 64 * MIB, workspaceBytes: 12 * MIB, timeout: 15 },
    })
    const { output, blocks } = await executor.executeCodeBlocks([python(code)])
    const made = Number(/made (?<made>\d+)/u.exec(output)?.groups?.['made'] ?? 0)
    const held = Number(/held (?<held>\d+)/u.exec(output)?.groups?.['held'] ?? 0)
    expect([made < 70_000, held < 64]).toEqual([true, true])
    // Ended, or out of room, or without a network to itself.
    expect(blocks![0]!.reason === 'memory' || output !== '').toBe(true)
  })

  it.skipIf(missing !== null).each(Object.entries(KERNEL_ATTACKS))('that the kernel holds: %s', async (_, block) => {
    await using executor = create({ limits: LIMITS, execute: { javascript: true } })
    const { blocks } = await executor.executeCodeBlocks([block])
    expect(blocks![0]!.reason).toBe('memory')
  })

  // Where groups count what processes have, nobody needs to look.
  it.skipIf(missing !== null || bases !== null)('of a program that nobody may read', async () => {
    await using executor = create({ limits: { ...LIMITS, fileBytes: 16 * MIB } })
    const { output, blocks } = await executor.executeCodeBlocks([python(UNREADABLE)])
    expect([blocks![0]!.reason, output.includes('all')]).toEqual(['memory', false])
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

  it.skipIf(missing !== null)('without the files of the work directory, which have limits of their own', async () => {
    await using executor = create({ limits: { ...LIMITS, memoryBytes: 64 * MIB, workspaceBytes: 200 * MIB } })
    const code =
      'import time\nfor i in range(6):\n  with open(f"f{i}", "wb") as f:\n    for _ in range(20): f.write(bytes(2**20))\ntime.sleep(0.5)\nprint("kept")'
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

  it('are found if version 2 delegates memory and processes to the parent group', () => {
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

  it('are found in version 1 if they are writable, in a mount that shows a part of the hierarchy', () => {
    const memory = directory('memory/mine')
    const mounts = `31 20 0:27 /docker/id ${join(proc, 'memory')} rw - cgroup cgroup rw,memory\n32 20 0:28 / ${join(proc, 'nowhere')} rw - cgroup cgroup rw,pids`
    expect(machine('4:memory:/docker/id/mine\n8:pids:/gone\n', mounts)).toEqual({ version: 1, memory, pids: null })
  })

  it('are not found if nothing is mounted or allowed', () => {
    expect(machine('0::/\n', '')).toBeNull()
    expect(findGroups(join(proc, 'no-such-machine'))).toBeNull()
  })
})
