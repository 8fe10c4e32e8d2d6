import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@x/interfaces'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { processTree } from '../backend/processes.ts'
import type { CodeExecutorOptions } from '../create-code-executor.ts'
import { executorMatrix, SANDBOX_KINDS, python, sh } from '../executor-matrix.fake.ts'

// A directory of the user's, as the root of a project is: what code leaves there outlives the block.

let workDir: string
let outside: string
beforeEach(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'x-given-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'x-outside-')))
  writeFileSync(join(outside, 'secret'), 'canary')
})
afterEach(() => {
  for (const path of [workDir, outside]) rmSync(path, { recursive: true })
})
const put = (name: string, text: string): void => {
  mkdirSync(join(workDir, name, '..'), { recursive: true })
  writeFileSync(join(workDir, name), text)
}
const read = (name: string): string => readFileSync(join(workDir, name), 'utf8')

/** Code that tries to make a file with set-user-id or set-group-id. */
const SET_ID = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, make):
  try: make()
  except OSError: pass
  try:
    if os.stat(name).st_mode & 0o6000: print("has it:", name)
  except OSError: pass
def plain(name): os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o755))
plain("a"); attempt("a", lambda: os.chmod("a", 0o4755))
plain("b"); attempt("b", lambda: os.fchmod(os.open("b", os.O_RDONLY), 0o2755))
attempt("c", lambda: os.close(os.open("c", os.O_CREAT | os.O_WRONLY, 0o6755)))
attempt("d", lambda: os.mknod("d", 0o104755))
plain("e"); attempt("e", lambda: libc.syscall(452, -100, b"e", 0o4755, 0))
os.mkdir("f"); attempt("f", lambda: os.chmod("f", 0o2755))
print("end")`

const matrix = await executorMatrix(SANDBOX_KINDS)
describe.each(matrix)('$kind in a directory of the user', ({ missing, create }) => {
  const run = async (
    blocks: { language: string; code: string }[],
    options: CodeExecutorOptions = {},
  ): Promise<CodeResult> => {
    await using executor = create({ workDir, ...options })
    return await executor.executeCodeBlocks(blocks)
  }
  const test = it.skipIf(missing !== null)

  test('leaves no file that runs with the rights of its owner', async () => {
    const { output } = await run([python(SET_ID)])
    expect(output).toBe('end\n')
    expect(readdirSync(workDir)).toEqual(expect.arrayContaining(['a', 'b', 'e', 'f']))
    for (const name of readdirSync(workDir))
      expect([name, statSync(join(workDir, name)).mode & 0o6000]).toEqual([name, 0])
  })

  test('is never root outside', async () => {
    const users: string[] = []
    await using executor = create({ workDir, timeout: 1 })
    await executor.executeCodeBlocks([sh('echo on; sleep 8906')], {
      emit: () => {
        for (const pid of processTree(process.pid)) {
          if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')) continue
          users.push(/^Uid:\s+(?<uid>\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!.groups!['uid']!)
        }
      },
    })
    expect(users.filter((uid) => uid === '0')).toEqual([])
  })

  test('sees the files of the user, and its changes are copied back', async () => {
    put('data/in.csv', 'a,b\n')
    put('gone.txt', 'x')
    chmodSync(join(workDir, 'data/in.csv'), 0o600)
    symlinkSync('in.csv', join(workDir, 'data/link'))
    await using executor = create({ workDir })
    const first = await executor.executeCodeBlocks([
      sh('cat data/in.csv data/link; rm gone.txt; mkdir out; echo c > out/new; echo d >> data/in.csv; ln -s out to'),
    ])
    expect([first.exitCode, first.output]).toEqual([0, 'a,b\na,b\n'])
    expect([read('data/in.csv'), read('out/new'), existsSync(join(workDir, 'gone.txt'))]).toEqual([
      'a,b\nd\n',
      'c\n',
      false,
    ])
    expect(readlinkSync(join(workDir, 'to'))).toBe('out')
    expect(statSync(join(workDir, 'out/new')).uid).toBe(statSync(workDir).uid)
    expect(first.artifacts!.map(({ name }) => name)).toContain('out/new')
    // What the user does meanwhile is seen by the next block.
    put('more', 'by the user')
    rmSync(join(workDir, 'out'), { recursive: true })
    const second = await executor.executeCodeBlocks([sh('cat more; ls out data')])
    expect(second.output).toContain('by the user')
    expect(second.output).not.toContain('new')
  })

  test('replaces a directory by a file, and the reverse', async () => {
    put('d/e/f', 'x')
    put('g', 'x')
    const { exitCode } = await run([sh('rm -r d g; echo y > d; mkdir -p g/h; echo z > g/h/i')])
    expect([exitCode, read('d'), read('g/h/i')]).toEqual([0, 'y\n', 'z\n'])
  })

  test('brings nothing back through a link that leads out', async () => {
    put('sub/f', 'x')
    symlinkSync(outside, join(workDir, 'way'))
    const { exitCode } = await run([
      sh(`rm -r sub; ln -s ${outside} sub; rm way; mkdir way; echo pwned > way/secret; echo pwned > way/more`),
    ])
    expect([exitCode, readFileSync(join(outside, 'secret'), 'utf8'), readdirSync(outside)]).toEqual([
      0,
      'canary',
      ['secret'],
    ])
    expect(lstatSync(join(workDir, 'way')).isDirectory()).toBe(true)
  })

  test('cannot change what programs of the user act upon', async () => {
    const names = [
      '.git/config',
      '.git/hooks/x',
      '.husky/h',
      '.vscode/s',
      '.npmrc',
      'package.json',
      'node_modules/.bin/tsc',
      '.cache/c',
    ]
    for (const name of names) put(name, 'mine')
    const writes = names.map((name) => `echo pwned > ${name}; rm -rf ${name}`)
    const moves =
      'mv node_modules moved; mkdir -p node_modules/.bin; echo pwned > node_modules/.bin/tsc; mv .git .git2; ln -sf /etc package.json; :'
    await using executor = create({ workDir })
    const { output } = await executor.executeCodeBlocks([
      sh(`cat ${names.join(' ')}; echo; ${writes.join('\n')}\n(${moves}) 2>/dev/null`),
    ])
    expect(output).toMatch(new RegExp(`^${'mine'.repeat(names.length)}\nNot written to the directory`, 'u'))
    await executor.executeCodeBlocks([sh(`echo again > .git/hooks/x; echo again > package.json; :`)])
    for (const name of names) expect([name, read(name)]).toEqual([name, 'mine'])
  })

  test('cannot make what would run with the next commit', async () => {
    execFileSync('git', ['init', '-q', workDir])
    rmSync(join(workDir, '.git/hooks'), { recursive: true })
    const names = [
      '.git/hooks/pre-commit',
      '.husky/pre-commit',
      '.vscode/tasks.json',
      'sub/.git/hooks/pre-commit',
      'sub/.GIT/x',
      '.NPMRC',
    ]
    const writes = names.map((name) => `mkdir -p "$(dirname ${name})"; echo pwned > ${name}`)
    const { exitCode } = await run([sh(`(${writes.join('\n')}\necho pwned > .npmrc) 2>/dev/null; echo in; :`)])
    expect(exitCode).toBe(0)
    for (const name of [...names, '.npmrc']) expect([name, existsSync(join(workDir, name))]).toEqual([name, false])
    const named = await run([sh('# filename: .git/hooks/pre-commit\necho ran')])
    expect([named.exitCode, named.output]).toEqual([
      0,
      expect.stringMatching(/^ran\n(?:.*\n)*.*pre-commit" added: Git/u),
    ])
    expect(existsSync(join(workDir, '.git/hooks/pre-commit'))).toBe(false)
  })

  test('cannot exchange the directory that holds it for a link to its own', async () => {
    put('node_modules/.bin/tsc', 'mine')
    put('node_modules/tool/index.js', 'tool')
    const { exitCode } = await run([
      sh('mv node_modules moved; mkdir -p its/.bin; echo pwned > its/.bin/tsc; ln -s its node_modules'),
    ])
    expect([exitCode, lstatSync(join(workDir, 'node_modules')).isDirectory()]).toEqual([0, true])
    expect([read('node_modules/.bin/tsc'), read('moved/tool/index.js')]).toEqual(['mine', 'tool'])
    await run([sh('mv node_modules moved2; echo pwned > node_modules')])
    expect(read('node_modules/.bin/tsc')).toBe('mine')
  })

  test('cannot make a repository without `.git`, whose settings name programs', async () => {
    const settings = String.raw`[core]
	bare = false
	worktree = .
	fsmonitor = "echo > pwned; false"
`
    const make = `mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; printf '${settings}' > config`
    const { exitCode } = await run([sh(`mkdir sub; ${make}; cd sub; ${make}`)])
    expect([exitCode, existsSync(join(workDir, 'sub/config'))]).toEqual([0, false])
    for (const cwd of [workDir, join(workDir, 'sub')]) {
      expect(() => execFileSync('git', ['status'], { cwd, stdio: 'pipe' })).toThrow('not a git repository')
      expect(readdirSync(cwd)).not.toContain('HEAD')
    }
    await run([sh('# filename: sub/HEAD\necho ran')])
    expect(existsSync(join(workDir, 'sub/HEAD'))).toBe(false)
  })

  test.each([
    ['with holes', 'for i in range(100): open(f"f{i}", "wb").truncate(4 * 2**20)'],
    ['of many names', 'import os\nopen("f", "wb").write(bytes(4 * 2**20))\nfor i in range(100): os.link("f", f"l{i}")'],
  ])('takes no more room outside than it may: files %s', async (_, code) => {
    const limits = { workspaceBytes: 12 * 2 ** 20, fileBytes: 4 * 2 ** 20 }
    const { blocks } = await run([python(code)], { limits })
    expect(blocks![0]!.reason).toBe('disk')
    const taken = readdirSync(workDir).reduce((bytes, name) => bytes + statSync(join(workDir, name)).blocks * 512, 0)
    expect(taken).toBeLessThan(13 * 2 ** 20)
  })

  test('can change names in `writable`, and no other marked name', async () => {
    put('package.json', 'mine')
    put('.npmrc', 'mine')
    await run([sh('echo its > package.json; echo its > .npmrc; mkdir .vscode; echo its > .vscode/s')], {
      writable: ['package.json', '.vscode'],
    })
    expect([read('package.json'), read('.npmrc'), read('.vscode/s')]).toEqual(['its\n', 'mine', 'its\n'])
    expect(() => create({ workDir, writable: ['src'] })).toThrow('`src`')
  })

  test('does not show a file of the machine in place of a marked file', async () => {
    await using executor = create({ workDir })
    await executor.executeCodeBlocks([sh(`ln -s ${outside}/secret package.json; ln -s ${outside} node_modules`)])
    const { output } = await executor.executeCodeBlocks([
      sh('cat package.json node_modules/secret 2>/dev/null; echo end'),
    ])
    expect(output).toBe('end\n')
  })

  test('lies below another one that code may exchange for a link', async () => {
    mkdirSync(join(workDir, 'sub'))
    await using inner = create({ workDir: join(workDir, 'sub') })
    await inner.executeCodeBlocks([sh('echo first')])
    await run([sh(`rm -rf sub; ln -s ${outside} sub`)])
    const { output } = await inner.executeCodeBlocks([sh('cat secret 2>/dev/null; echo pwned > secret; echo end')])
    expect(output).not.toContain('canary')
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('canary')
  })

  it.skipIf(missing !== null || process.getuid?.() !== 0)('works where no other user has access', async () => {
    chmodSync(workDir, 0o700)
    put('f', 'mine')
    const { output } = await run([sh('cat f; echo more >> f')])
    expect([output, read('f')]).toEqual(['mine', 'minemore\n'])
  })
})
