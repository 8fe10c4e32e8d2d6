import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { CodeResult } from '@x/interfaces'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { processTree } from './backend/processes.ts'
import type { BlockExecutor } from './executor.ts'
import { leakCheck, type LeakCheck } from './leaks.fake.ts'
import {
  COMMAND_LINE_KINDS,
  executorMatrix,
  ISOLATED_KINDS as ISOLATED,
  MACHINE_KINDS,
  type MatrixExecutor,
  SANDBOX_KINDS,
  python,
  sh,
} from './executor-matrix.fake.ts'

const MIB = 2 ** 20
const LIMITS = {
  timeout: 20,
  outputBytes: 16_384,
  memoryBytes: 192 * MIB,
  pids: 24,
  fileBytes: 4 * MIB,
  workspaceBytes: 12 * MIB,
  workspaceEntries: 300,
}

/** Directory of the host that code must not reach. */
let outside: string
let port: number
let server: Server
let abstract: Server
let reached = 0
beforeAll(async () => {
  process.env['X_CANARY'] = 'canary-of-the-host'
  outside = mkdtempSync(join(tmpdir(), 'x-host-'))
  writeFileSync(join(outside, 'secret'), 'canary-in-a-file')
  server = createServer((socket) => {
    reached++
    socket.end('canary')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  abstract = createServer((socket) => {
    reached++
    socket.end('canary')
  })
  if (process.platform === 'linux') {
    await new Promise<void>((resolve) => abstract.listen(`\0x-exec-${process.pid}`, resolve))
  }
  port = (server.address() as { port: number }).port
})
afterAll(() => {
  delete process.env['X_CANARY']
  rmSync(outside, { recursive: true })
  server.close()
  abstract.close()
})

type Row = [
  what: string,
  kinds: string,
  blocks: () => { language: string; code: string }[],
  check: (result: CodeResult) => void,
  /** Set for blocks that run until their timeout; these run in parallel. */
  endless?: 'endless',
]
const ALL_KINDS = COMMAND_LINE_KINDS.join(' ')
const ISOLATED_KINDS = ISOLATED.join(' ')
/** True with `pnpm redteam`, which also runs rows on containers whose protection other rows show; a command takes half a second there. */
const IS_WHOLE_MATRIX = process.env['REDTEAM'] === 'whole'
const FAST_KINDS = IS_WHOLE_MATRIX ? ALL_KINDS : MACHINE_KINDS.join(' ')
const FAST_ISOLATED_KINDS = IS_WHOLE_MATRIX ? ISOLATED_KINDS : SANDBOX_KINDS.join(' ')
const reason = (result: CodeResult): string | undefined => result.blocks?.at(-1)?.reason
const untouched = (): void => {
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('canary-in-a-file')
  expect(readdirSync(outside)).toEqual(['secret'])
}

const named = (name: string): Row => [
  `a file called ${JSON.stringify(name)}`,
  FAST_KINDS,
  () => [sh(`# filename: ${name}\necho ran`)],
  (result) => {
    expect([result.exitCode, reason(result)]).toEqual([1, 'bad-filename'])
    expect(result.output).not.toContain('ran')
  },
]

const TABLE: Row[] = [
  ...[
    '../x.sh',
    '/tmp/x.sh',
    'sub/../../x',
    '..',
    '.',
    'a\0.sh',
    `${'n'.repeat(300)}.sh`,
    'a\u202ehs.x',
    '-rf',
    '\u001b[2J.sh',
  ].map(named),
  [
    'a name that a shell would read',
    ALL_KINDS,
    () => [
      sh('# filename: $(touch pwned).sh\necho ran'),
      sh('# filename: a\'b;id".sh\necho too'),
      sh('ls | grep -c pwned$'),
    ],
    (result) => expect(result.output).toBe('ran\ntoo\n0\n'),
  ],
  [
    'a link planted where the next block will lie',
    ALL_KINDS,
    () => [sh(`ln -sf ${outside}/secret next.sh`), sh('# filename: next.sh\necho ran')],
    (result) => {
      expect(result.output).toBe('ran\n')
      untouched()
    },
  ],
  [
    'a linked directory on the way to the next block',
    ALL_KINDS,
    () => [sh(`ln -sfn ${outside} trap`), sh('# filename: trap/f\necho ran')],
    (result) => {
      expect(reason(result)).toBe('bad-filename')
      untouched()
    },
  ],
  [
    'links, pipes and sockets as artefacts',
    ALL_KINDS,
    () => [sh(`rm -rf *; ln -s ${outside}/secret out.txt; mkfifo pipe`)],
    (result) => {
      const kinds = Object.fromEntries(result.artifacts!.map(({ name, kind }) => [name, kind]))
      expect(kinds).toMatchObject({ 'out.txt': 'link', pipe: 'other' })
    },
  ],
  [
    'modules that Python loads by itself',
    FAST_KINDS,
    () => [
      sh('echo "print(\'loaded\')" | tee sitecustomize.py usercustomize.py .bashrc .profile >/dev/null'),
      python('print("clean")'),
    ],
    (result) => expect(result.output).toBe('clean\n'),
  ],
  [
    'an endless loop',
    ALL_KINDS,
    () => [sh('while :; do :; done')],
    (result) => expect([result.exitCode, reason(result)]).toEqual([124, 'timeout']),
    'endless',
  ],
  [
    'signals that are ignored',
    FAST_KINDS,
    () => [sh("trap '' TERM INT HUP; echo on; while :; do :; done")],
    (result) => expect([result.exitCode, result.output]).toEqual([124, 'on\n\nTimeout']),
    'endless',
  ],
  [
    'a number that takes for ever',
    FAST_KINDS,
    () => [python('9**9**9')],
    (result) => expect(['timeout', 'memory', 'exit']).toContain(reason(result)),
    'endless',
  ],
  [
    'a process left with the pipe',
    ALL_KINDS,
    () => [sh('sleep 8801 & echo done')],
    (result) => expect([result.exitCode, result.output, reason(result)]).toEqual([0, 'done\n', 'exit']),
  ],
  [
    'a process in a session of its own',
    FAST_KINDS,
    () => [sh('setsid sleep 8802 >/dev/null 2>&1 & sleep 0.2; echo done')],
    (result) => expect(result.output).toBe('done\n'),
  ],
  [
    'more processes than it may have (60, no bomb)',
    ISOLATED_KINDS,
    () => [sh('i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i+1)); done; wait; echo all; jobs')],
    (result) => expect(result.exitCode !== 0 || /fork|vfork|resource/iu.test(result.output)).toBe(true),
  ],
  [
    'a huge allocation',
    ISOLATED_KINDS,
    () => [python('b = bytearray(4 * 10**9); print("got" + " it")')],
    (result) => {
      expect(result.exitCode).not.toBe(0)
      expect(result.output).not.toContain('got it')
    },
  ],
  [
    'memory of many processes',
    'bubblewrap unshare container',
    () => [
      python(
        'import os, time\nfor i in range(8):\n  if os.fork() == 0:\n    b = bytearray(100 * 2**20); time.sleep(1.5); os._exit(0)\nfailed = 0\nfor i in range(8):\n  failed += os.wait()[1] != 0\nprint("all" if failed == 0 else "some", flush=True)',
      ),
    ],
    (result) => expect(result.output).not.toContain('all'),
  ],
  [
    'output without end',
    ALL_KINDS,
    () => [sh('yes')],
    (result) => expect([reason(result), result.output.length < 17_000]).toEqual(['output-limit', true]),
  ],
  [
    'output that is no text',
    FAST_KINDS,
    () => [sh(String.raw`printf '\377\376\000a'; head -c 100000 /dev/zero`)],
    (result) =>
      expect([result.exitCode, result.output.length < 17_000, result.output.includes('\0')]).toEqual([0, true, false]),
  ],
  [
    'a file that is too large',
    ISOLATED_KINDS,
    () => [sh('head -c 20000000 /dev/zero > big; wc -c < big')],
    (result) => expect(Number(/\d+/u.exec(result.output)?.[0] ?? 0)).toBeLessThanOrEqual(LIMITS.fileBytes),
  ],
  [
    'a work directory that is filled',
    ISOLATED_KINDS,
    () => [
      sh(
        'rm -f big; i=0; while [ $i -lt 40 ]; do head -c 1000000 /dev/zero > f$i || { rm -f f*; exit 7; }; i=$((i+1)); done; sleep 1; echo all',
      ),
    ],
    (result) => {
      expect(result.exitCode).not.toBe(0)
      expect(result.output).not.toContain('all')
    },
  ],
  [
    'a work directory of many files',
    'bubblewrap unshare',
    () => [sh('rm -rf ./*'), sh('i=0; while [ $i -lt 2000 ]; do : > e$i; i=$((i+1)); done; sleep 1; echo all')],
    (result) => expect(reason(result)).toBe('disk'),
  ],
  [
    'memory in files that have no name',
    'bubblewrap unshare container',
    () => [
      python(
        'import os, time\nkept = []\nfor i in range(100):\n  f = os.memfd_create("x"); os.write(f, bytes(3 * 2**20)); kept.append(f)\ntime.sleep(1); print("everything")',
      ),
    ],
    (result) => {
      expect(result.exitCode).not.toBe(0)
      expect(result.output).not.toContain('everything')
    },
  ],
  [
    'files that are removed and kept open',
    FAST_ISOLATED_KINDS,
    () => [
      python(
        'import os, time\nkept = []\nfor i in range(20):\n  f = os.open("gone", os.O_CREAT | os.O_WRONLY); os.unlink("gone"); os.write(f, bytes(3 * 2**20)); kept.append(f)\ntime.sleep(1); print("everything")',
      ),
    ],
    (result) => {
      expect(result.exitCode).not.toBe(0)
      expect(result.output).not.toContain('everything')
    },
  ],
  [
    'shared memory that belongs to no process',
    'bubblewrap unshare container',
    () => [
      python(
        'import ctypes\nc = ctypes.CDLL(None)\nc.shmat.restype = ctypes.c_void_p\ngot = 0\nfor i in range(40):\n  s = c.shmget(0, 10 * 2**20, 0o1600)\n  p = c.shmat(s, None, 0)\n  if s < 0 or p in (None, 2**64 - 1): break\n  ctypes.memset(p, 1, 10 * 2**20); c.shmdt(ctypes.c_void_p(p)); got += 1\nprint("everything" if got == 40 else "end")',
      ),
    ],
    (result) => expect(result.output).not.toContain('everything'),
  ],
  [
    'a line without end',
    FAST_KINDS,
    () => [sh('head -c 300000000 /dev/zero | tr "\\0" x')],
    (result) => expect([reason(result), result.output.length < 17_000]).toEqual(['output-limit', true]),
  ],
  [
    'a pattern that backtracks',
    FAST_KINDS,
    () => [python('import re\nre.match(r"(a+)+$", "a" * 60 + "b")')],
    (result) => expect([result.exitCode, reason(result)]).toEqual([124, 'timeout']),
    'endless',
  ],
  [
    'an archive that would be a gigabyte',
    FAST_KINDS,
    () => [
      sh('rm -rf ./*'),
      python(
        'import gzip\nwith gzip.open("bomb.gz", "wb", 1) as f:\n  for i in range(64): f.write(bytes(2**20))\nprint("made")',
      ),
    ],
    (result) => {
      expect(result.output).toBe('made\n')
      // It is listed as it lies there, and nobody opens it.
      const { size } = result.artifacts!.find(({ name }) => name === 'bomb.gz')!
      expect(size).toBeLessThan(MIB)
    },
  ],
  [
    'names of artefacts with line ends and escapes',
    ALL_KINDS,
    () => [python('open("a\\nregular file/9/./forged", "w") if False else open("x\\n1\\x1b[2J", "w").close()')],
    (result) => expect(result.artifacts!.some(({ name }) => name === '1' || name === 'forged')).toBe(false),
  ],
  [
    'a socket of the host without a file',
    ISOLATED_KINDS,
    () => [
      python(
        `import socket\ns = socket.socket(socket.AF_UNIX)\ntry:\n  s.connect("\\0x-exec-${process.pid}"); print("reached")\nexcept OSError: print("no")`,
      ),
    ],
    (result) => expect([result.output, reached]).toEqual(['no\n', 0]),
  ],
  [
    'writing to the work directory after the end',
    FAST_KINDS,
    () => [
      sh('rm -rf ./*; (setsid sh -c "while :; do echo x >> late; sleep 0.02; done" >/dev/null 2>&1 &); sleep 0.3'),
      sh('wc -c < late > first; sleep 0.3; wc -c < late | cmp - first && echo same'),
    ],
    (result) => expect(result.output).toBe('same\n'),
  ],
  [
    'a work directory that is taken away',
    FAST_ISOLATED_KINDS,
    () => [sh('cd /; rm -rf "$HOME" 2>/dev/null; cd "$HOME" && echo there')],
    (result) => expect(result.output).toBe('there\n'),
  ],
  [
    'the memory of others',
    FAST_ISOLATED_KINDS,
    () => [
      python(
        `import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.ptrace(16, ${process.pid}, 0, 0), libc.ptrace(16, ${process.ppid}, 0, 0))\ntry:\n  open("/proc/${process.pid}/mem", "rb"); print("open")\nexcept OSError: print("no")`,
      ),
    ],
    (result) => expect(result.output).toBe('-1 -1\nno\n'),
  ],
  [
    'knobs of the kernel',
    ISOLATED_KINDS,
    () => [
      sh(
        'for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/self/uid_map; do (echo 1 > $f) 2>/dev/null && echo wrote $f; done; head -c 1 /proc/kcore 2>/dev/null | wc -c; echo end',
      ),
    ],
    (result) => expect(result.output).toBe('0\nend\n'),
  ],
  [
    'the environment of the host',
    ALL_KINDS,
    () => [sh('rm -rf *; env; cat /proc/self/environ /proc/1/environ 2>/dev/null; echo end')],
    (result) => {
      expect(result.output).toContain('end')
      expect(result.output).not.toContain('canary')
    },
  ],
  [
    'files of the host',
    ISOLATED_KINDS,
    () => [
      sh(
        `cat ${outside}/secret /etc/shadow ~/.ssh/id_rsa ${process.cwd()}/package.json; ls ${process.cwd()}; echo end`,
      ),
    ],
    (result) => {
      expect(result.output).toContain('end')
      expect(result.output).not.toMatch(/canary|root:|workspace:\*/u)
    },
  ],
  [
    'the network: loopback, metadata, names',
    ISOLATED_KINDS,
    () => [
      python(
        `import socket\nsocket.setdefaulttimeout(0.3)\nfor host, port in [("127.0.0.1", ${port}), ("169.254.169.254", 80), ("1.1.1.1", 53), ("example.com", 80)]:\n  try:\n    socket.create_connection((host, port)); print("reached", host)\n  except OSError as e: print("no")`,
      ),
    ],
    (result) => {
      expect(result.output).toBe('no\nno\nno\nno\n')
      expect(reached).toBe(0)
    },
  ],
  [
    'sockets of engines',
    FAST_ISOLATED_KINDS,
    () => [sh('ls /var/run/docker.sock /run/podman/podman.sock /run/user 2>/dev/null; echo end')],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'the program that runs it',
    ISOLATED_KINDS,
    () => [
      sh(
        `kill -9 ${process.pid} ${process.ppid} 2>/dev/null; ls -d /proc/${process.pid}/fd 2>/dev/null; kill -9 1 2>/dev/null; echo alive`,
      ),
    ],
    (result) => expect(result.output).toContain('alive'),
  ],
  ['everything at once', ISOLATED_KINDS, () => [sh('kill -9 -1')], () => expect(process.pid).toBeGreaterThan(0)],
  [
    'rights',
    ISOLATED_KINDS,
    () => [
      sh(
        'mount -t tmpfs x /tmp && echo mounted; mknod d c 1 3 && [ -c d ] && echo made; chroot / true && echo rooted; grep -E "^Cap(Eff|Prm|Bnd):.*[1-9a-f]" /proc/self/status; grep NoNewPrivs /proc/self/status',
      ),
    ],
    (result) => {
      expect(result.blocks![0]!.stdout).not.toMatch(/mounted|made|rooted|Cap/u)
      expect(result.blocks![0]!.stdout).toMatch(/NoNewPrivs:\s+1/u)
    },
  ],
  [
    // An engine may allow it by its seccomp profile.
    'namespaces of its own',
    'bubblewrap unshare',
    () => [sh('unshare -Ur true 2>/dev/null && echo unshared; echo end')],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'higher limits',
    'bubblewrap unshare container',
    () => [
      python(
        'import resource\ntry:\n  resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999)); print("raised")\nexcept (ValueError, OSError): print("no")',
      ),
    ],
    (result) => expect(result.output).toBe('no\n'),
  ],
  [
    'the programs themselves',
    ISOLATED_KINDS,
    () => [
      sh(
        'for d in /usr /bin /etc /lib / /dev /proc/sys/kernel; do touch $d/x 2>/dev/null && echo wrote $d; done; echo end',
      ),
    ],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'input that never comes',
    FAST_KINDS,
    () => [python('try:\n  input()\nexcept EOFError: print("end")')],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'a terminal',
    FAST_KINDS,
    () => [sh('(: < /dev/tty) 2>/dev/null && echo tty; echo end')],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'a forged end',
    FAST_KINDS,
    () => [sh('echo; echo Timeout; echo exitcode0; exit 124')],
    (result) => expect([result.exitCode, reason(result)]).toEqual([124, 'exit']),
  ],
  [
    'descriptors that are not its own',
    ALL_KINDS,
    () => [sh('for n in 3 4 5 6 7 8 9; do (echo x >&$n) 2>/dev/null && echo open $n; done; echo end')],
    (result) => expect(result.output).toBe('end\n'),
  ],
  [
    'a crash',
    FAST_KINDS,
    () => [python('import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)')],
    (result) => expect(result.exitCode).toBe(139),
  ],
  [
    'a stop',
    ALL_KINDS,
    () => [python('import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)')],
    (result) => expect(result.exitCode).toBe(124),
    'endless',
  ],
]

const runsSomewhere = (sign: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(sign)
    } catch {
      return false
    }
  })

const matrix = await executorMatrix(COMMAND_LINE_KINDS)
describe.each(matrix)('$kind against', ({ kind, missing, create }: MatrixExecutor) => {
  let executor: BlockExecutor
  let check: LeakCheck
  beforeAll(async () => {
    check = await leakCheck()
    executor = create({ limits: LIMITS })
  })
  const rows = TABLE.filter(([, kinds]) => kinds.split(' ').includes(kind))
  /** Runs of the endless rows. Each row waits for all, so that the processes of another row are not taken for leaks. */
  let endless: Promise<ReadonlyMap<string, CodeResult>> | undefined
  const runEndless = async (): Promise<ReadonlyMap<string, CodeResult>> => {
    await using parallel = create({ limits: { ...LIMITS, timeout: 3 } })
    const run = async ([what, , blocks]: Row): Promise<[string, CodeResult]> => [
      what,
      await parallel.executeCodeBlocks(blocks()),
    ]
    return new Map(await Promise.all(rows.filter(([, , , , isEndless]) => isEndless).map(run)))
  }
  afterEach(async () => {
    // The directory of the executor, its holder and the container stay until the executor is closed.
    const holder = /^\/proc\/(?<pid>\d+)\//u.exec(executor.workDir ?? '')?.groups?.['pid']
    const own = [`directory ${basename(executor.workDir ?? '')}`, `process ${holder}`, 'Process', 'container']
    expect(await check.leaks(own)).toEqual([])
    expect(runsSomewhere('sleep 880')).toBe(false)
  })
  afterAll(async () => {
    const { workDir } = executor
    await executor.close()
    expect(workDir === null || !existsSync(workDir)).toBe(true)
    expect(await check.leaks()).toEqual([])
    check.end()
  })

  it.skipIf(missing !== null)(
    'fifty calls at once',
    async () => {
      // A container runs blocks one at a time.
      const count = kind === 'container' && !IS_WHOLE_MATRIX ? 5 : 50
      const numbers = Array.from({ length: count }, (_, index) => `n${index}`)
      let most = 0
      const watching = setInterval(() => (most = Math.max(most, processTree(process.pid).length)), 20)
      try {
        const results = await Promise.all(numbers.map((text) => executor.executeCodeBlocks([sh(`echo ${text}`)])))
        expect(results.map(({ output }) => output)).toEqual(numbers.map((text) => `${text}\n`))
      } finally {
        clearInterval(watching)
      }
      // Eight at once, each with the processes that start it.
      expect(most).toBeLessThan(80)
    },
    120_000,
  )

  // The remains of these rows would disturb others.
  it.skipIf(missing !== null || kind === 'local' || kind === 'container')(
    'directories deeper than any path',
    async () => {
      await using separate = create({ limits: LIMITS })
      const deep =
        'import os, time\nfor i in range(3000):\n  name = "a" * 200 if i < 200 else "b"\n  os.mkdir(name); os.chdir(name)\ntime.sleep(2)'
      expect(reason(await separate.executeCodeBlocks([python(deep)]))).toBe('disk')
      await separate.close()
      expect(existsSync(separate.workDir!)).toBe(false)
    },
  )

  it.skipIf(missing !== null || kind === 'container')('a work directory that nobody may enter', async () => {
    await using separate = create({ limits: LIMITS })
    const locked = sh('mkdir -p d/e; touch d/e/f; chmod 000 d/e d .; echo done')
    expect((await separate.executeCodeBlocks([locked, sh('echo next')])).output).toBe('done\nnext\n')
    await separate.close()
    expect(existsSync(separate.workDir!)).toBe(false)
  })

  for (const [what, , blocks, check, isEndless] of rows) {
    it.skipIf(missing !== null)(what, async () => {
      const started = performance.now()
      if (isEndless) check((await (endless ??= runEndless())).get(what)!)
      else check(await executor.executeCodeBlocks(blocks()))
      // A container runs blocks one at a time.
      expect(performance.now() - started).toBeLessThan(isEndless && kind === 'container' ? 60_000 : 15_000)
      // The next block works, whatever this one did.
      expect((await executor.executeCodeBlocks([sh('echo next')])).output).toBe('next\n')
    })
  }
})
