import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyPolicy, Change } from '../changes/changeset.ts'
import { Mirror } from './mirror.ts'

const LIMITS = { workspaceBytes: 2 ** 20, workspaceEntries: 200 }

let outer: string
let inner: string
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'x-outer-'))
  inner = mkdtempSync(join(tmpdir(), 'x-inner-'))
})
afterEach(() => {
  for (const path of [outer, inner]) rmSync(path, { recursive: true })
})

const mirror = (apply: ApplyPolicy = 'safe', writable: readonly string[] = []): Mirror =>
  new Mirror({ outer, inner, owner: null, rules: { apply, writable } })

const put = (root: string, name: string, text: string): void => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}
const read = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')
const modeOf = (root: string, name: string): number => statSync(join(root, name)).mode & 0o7777
const shown = (changes: readonly Change[]): string[] =>
  changes.map(({ name, kind, held }) => (held === undefined ? `${kind} ${name}` : `${kind} ${name}: ${held}`))

/** Copies in, lets `work` change the copy as code would, and copies out. */
async function block(of: Mirror, work: () => void): Promise<string[]> {
  await of.copyIn(LIMITS)
  work()
  return shown((await of.copyOut(LIMITS)).changes)
}

const MEANWHILE = 'the original was changed meanwhile'
const NOT_ALLOWED = 'it was not allowed'

describe('the permissions of what comes back', () => {
  it('are those of the original, or of a new file; code says only whether a file may be run', async () => {
    for (const [name, mode] of [
      ['private', 0o600],
      ['run.sh', 0o755],
      ['mine.sh', 0o744],
      ['plain', 0o644],
    ] as const) {
      put(outer, name, 'mine')
      chmodSync(join(outer, name), mode)
    }
    mkdirSync(join(outer, 'closed'), { mode: 0o700 })
    const changes = await block(mirror(), () => {
      for (const name of ['private', 'run.sh', 'mine.sh', 'new']) {
        put(inner, name, 'its')
        chmodSync(join(inner, name), name.endsWith('.sh') ? 0o4777 : 0o666)
      }
      chmodSync(join(inner, 'plain'), 0o777)
      chmodSync(join(inner, 'closed'), 0o777)
      mkdirSync(join(inner, 'wide'))
      chmodSync(join(inner, 'wide'), 0o7777)
    })
    expect(changes.toSorted()).toEqual(
      ['added new', 'added wide', 'changed mine.sh', 'changed plain', 'changed private', 'changed run.sh'].toSorted(),
    )
    const masked = 0o666 & ~process.umask()
    expect(['private', 'run.sh', 'mine.sh', 'plain', 'new', 'closed'].map((name) => modeOf(outer, name))).toEqual([
      0o600,
      0o755,
      0o744,
      0o755,
      masked,
      0o700,
    ])
    expect(modeOf(outer, 'wide')).toBe(0o777 & ~process.umask())
  })

  it('take the right to run a file away with it', async () => {
    put(outer, 'run.sh', 'mine')
    chmodSync(join(outer, 'run.sh'), 0o755)
    await block(mirror(), () => chmodSync(join(inner, 'run.sh'), 0o600))
    expect(modeOf(outer, 'run.sh')).toBe(0o644)
  })
})

describe('what the user changes meanwhile', () => {
  it('stays, and the change of the code is held back', async () => {
    for (const name of ['a', 'gone', 'dir/b']) put(outer, name, 'mine')
    const one = mirror('all')
    expect(
      await block(one, () => {
        put(inner, 'a', 'its')
        put(inner, 'new', 'its')
        rmSync(join(inner, 'gone'))
        rmSync(join(inner, 'dir'), { recursive: true })
        for (const name of ['a', 'gone', 'new', 'dir/b']) put(outer, name, 'newer')
      }),
    ).toEqual([
      `removed dir/b: ${MEANWHILE}`,
      'removed dir: something that stays is in its place, or its directory stays away',
      `removed gone: ${MEANWHILE}`,
      `changed a: ${MEANWHILE}`,
      `added new: ${MEANWHILE}`,
    ])
    for (const name of ['a', 'gone', 'new', 'dir/b']) expect([name, read(outer, name)]).toEqual([name, 'newer'])
    // The next block begins with it.
    await one.copyIn(LIMITS)
    for (const name of ['a', 'gone', 'new', 'dir/b']) expect([name, read(inner, name)]).toEqual([name, 'newer'])
  })

  it('is noticed although size and times are those of the copied file', async () => {
    put(outer, 'a', 'mine')
    const one = mirror()
    await one.copyIn(LIMITS)
    const { atime, mtime } = statSync(join(outer, 'a'))
    // A coarse clock: nothing of the stamp differs, if this happens in its step.
    writeFileSync(join(outer, 'a'), 'hers')
    utimesSync(join(outer, 'a'), atime, mtime)
    put(inner, 'a', 'its')
    expect(shown((await one.copyOut(LIMITS)).changes)).toEqual([`changed a: ${MEANWHILE}`])
    expect(read(outer, 'a')).toBe('hers')
    await one.copyIn(LIMITS)
    expect(read(inner, 'a')).toBe('hers')
  })

  it('is never written through: a second name of a file keeps its content', async () => {
    put(outer, '.git/hooks/pre-commit', 'mine')
    linkSync(join(outer, '.git/hooks/pre-commit'), join(outer, 'copy'))
    await block(mirror(), () => appendFileSync(join(inner, 'copy'), ' and its'))
    expect([read(outer, 'copy'), read(outer, '.git/hooks/pre-commit')]).toEqual(['mine and its', 'mine'])
  })

  it('comes before what was held back, and the copy of two at once is that of one', async () => {
    put(outer, 'a', 'mine')
    const [one, other] = [mirror(), mirror()]
    await one.copyIn(LIMITS)
    put(inner, 'a', 'of one')
    const second = mkdtempSync(join(tmpdir(), 'x-inner-'))
    const two = new Mirror({ outer, inner: second, owner: null, rules: { apply: 'all', writable: [] } })
    await two.copyIn(LIMITS)
    put(second, 'a', 'of two')
    const [first, last] = await Promise.all([one.copyOut(LIMITS), two.copyOut(LIMITS)])
    expect([first, last].flatMap(({ changes }) => shown(changes)).toSorted()).toEqual([
      'changed a',
      `changed a: ${MEANWHILE}`,
    ])
    expect(['of one', 'of two']).toContain(read(outer, 'a'))
    rmSync(second, { recursive: true })
    await other.copyIn(LIMITS)
    expect(readdirSync(outer)).toEqual(['a'])
  })
})

describe('a file that only looks changed', () => {
  it('does not count as a change', async () => {
    put(outer, 'package.json', 'mine')
    put(outer, 'a', 'mine')
    const { ino } = statSync(join(outer, 'a'))
    const changes = await block(mirror(), () => {
      for (const name of ['package.json', 'a']) put(inner, name, 'mine')
      renameSync(join(inner, 'a'), join(inner, 'b'))
      renameSync(join(inner, 'b'), join(inner, 'a'))
    })
    expect([changes, statSync(join(outer, 'a')).ino]).toEqual([[], ino])
  })
})

describe('links', () => {
  it('never come back if they lead out, also by a link of the user, or one that came back', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'x-outside-'))
    symlinkSync(outside, join(outer, 'way'))
    put(outer, 'src/a', 'mine')
    const one = mirror('all')
    const leadsOut = 'the link leads out of the directory'
    expect(
      await block(one, () => {
        symlinkSync('way', join(inner, 'by'))
        symlinkSync('way/secret', join(inner, 'secret'))
        symlinkSync('../..', join(inner, 'src/up'))
        symlinkSync(`${outer}/src`, join(inner, 'absolute'))
        symlinkSync('src', join(inner, 'in'))
        symlinkSync('in/../way', join(inner, 'later'))
        symlinkSync('none', join(inner, 'dangling'))
        symlinkSync('loop', join(inner, 'loop'))
      }),
    ).toEqual([
      `added absolute: ${leadsOut}`,
      `added by: ${leadsOut}`,
      'added dangling',
      'added in',
      `added later: ${leadsOut}`,
      'added loop',
      `added secret: ${leadsOut}`,
      `added src/up: ${leadsOut}`,
    ])
    // What it leads to later is judged for itself.
    expect(await block(one, () => symlinkSync('/etc', join(inner, 'none')))).toEqual([`added none: ${leadsOut}`])
    expect([readlinkSync(join(outer, 'in')), existsSync(join(outer, 'dangling'))]).toEqual(['src', false])
    rmSync(outside, { recursive: true })
  })

  it('are replaced, and not followed, on the way out', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'x-outside-'))
    put(outside, 'secret', 'canary')
    put(outer, 'dir/secret', 'mine')
    const one = mirror('all')
    await one.copyIn(LIMITS)
    put(inner, 'dir/secret', 'its')
    rmSync(join(outer, 'dir'), { recursive: true })
    symlinkSync(outside, join(outer, 'dir'))
    expect(shown((await one.copyOut(LIMITS)).changes)).toEqual([expect.stringContaining('changed dir/secret: ')])
    expect(read(outside, 'secret')).toBe('canary')
    rmSync(outside, { recursive: true })
  })
})

describe('a choice', () => {
  const propose = async (of: Mirror, work: () => void) => {
    await of.copyIn(LIMITS)
    work()
    return await of.copyOut(LIMITS, true)
  }

  it('brings back what it names, with the directories above, and holds back the rest', async () => {
    put(outer, 'package.json', 'mine\n')
    const one = mirror()
    const { changes, proposal } = await propose(one, () => {
      put(inner, 'package.json', 'its\n')
      put(inner, 'new/deep/a', 'its')
      put(inner, 'new/b', 'its')
      symlinkSync('/etc', join(inner, 'out'))
      put(inner, '__pycache__/a.pyc', 'x')
    })
    expect(shown(changes).map((text) => text.split(':')[0])).toEqual([
      'added __pycache__',
      'added out',
      'added __pycache__/a.pyc',
    ])
    expect(proposal!.diff).toContain('! changed package.json (package managers run its scripts')
    expect(proposal!.diff).toContain('-mine\n+its\n')
    expect(readdirSync(outer)).toEqual(['package.json'])
    expect(shown(await one.settle(proposal!.id, ['new/deep/a']))).toEqual([
      'added new',
      `changed package.json: ${NOT_ALLOWED}`,
      `added new/b: ${NOT_ALLOWED}`,
      'added new/deep',
      'added new/deep/a',
    ])
    expect([read(outer, 'package.json'), read(inner, 'package.json'), read(outer, 'new/deep/a')]).toEqual([
      'mine\n',
      'its\n',
      'its',
    ])
    // It is asked once about each change.
    expect((await propose(one, () => {})).proposal).toBeUndefined()
  })

  it.each([
    ['all', 'its'],
    ['safe', 'mine'],
    ['none', 'mine'],
  ] as const)('of %s', async (choice, text) => {
    put(outer, 'package.json', 'mine')
    const one = mirror()
    const { proposal } = await propose(one, () => {
      put(inner, 'package.json', 'its')
      put(inner, 'a', 'its')
    })
    await one.settle(proposal!.id, choice)
    expect([read(outer, 'package.json'), existsSync(join(outer, 'a'))]).toEqual([text, choice !== 'none'])
  })

  it('is about what was shown: nothing comes back that was changed since', async () => {
    put(outer, 'gone', 'mine')
    const one = mirror()
    const { proposal } = await propose(one, () => {
      for (const name of ['a', 'b']) put(inner, name, 'shown')
      symlinkSync('a', join(inner, 'link'))
      rmSync(join(inner, 'gone'))
    })
    put(inner, 'a', 'other')
    rmSync(join(inner, 'b'))
    symlinkSync('/etc/passwd', join(inner, 'b'))
    rmSync(join(inner, 'link'))
    symlinkSync('/etc', join(inner, 'link'))
    put(inner, 'gone', 'back')
    const since = 'it was changed again after it was shown'
    expect(shown(await one.settle(proposal!.id, 'all'))).toEqual([
      `removed gone: ${since}`,
      `added a: ${since}`,
      'added b: something that stays is in its place, or its directory stays away',
      'added link',
    ])
    expect([read(outer, 'gone'), readlinkSync(join(outer, 'link')), existsSync(join(outer, 'a'))]).toEqual([
      'mine',
      'a',
      false,
    ])
    // The newer state is asked about next.
    expect((await propose(one, () => {})).proposal!.changes.map(({ name }) => name)).toContain('a')
  })

  it('comes too late for an original that was changed meanwhile, and is taken once', async () => {
    put(outer, 'a', 'mine')
    const one = mirror()
    const { proposal } = await propose(one, () => put(inner, 'a', 'its'))
    put(outer, 'a', 'newer')
    expect(shown(await one.settle(proposal!.id, 'all'))).toEqual([`changed a: ${MEANWHILE}`])
    expect(await one.settle(proposal!.id, 'all')).toEqual([])
    expect(read(outer, 'a')).toBe('newer')
  })

  it('is missing where nobody can be asked: nothing comes back', async () => {
    expect(await block(mirror('unasked'), () => put(inner, 'a', 'its'))).toEqual([
      'added a: nobody was there to allow it',
    ])
    expect(readdirSync(outer)).toEqual([])
  })
})

it('brings nothing back of a copy that is over the limits', async () => {
  const one = mirror('all')
  await one.copyIn(LIMITS)
  for (let index = 0; index < 300; index++) put(inner, `${index}`, '')
  expect(await one.copyOut(LIMITS)).toEqual({ fits: false, changes: [] })
  expect(readdirSync(outer)).toEqual([])
})

it('leaves no half of a file behind that cannot be brought out', async () => {
  const one = mirror('all')
  await one.copyIn(LIMITS)
  put(inner, 'a', 'its')
  mkdirSync(join(outer, 'a/b'), { recursive: true })
  expect(shown((await one.copyOut(LIMITS)).changes)).toEqual([`added a: ${MEANWHILE}`])
  expect([readdirSync(outer), lstatSync(join(outer, 'a')).isDirectory()]).toEqual([['a'], true])
})

describe('marks that do not show in a name', () => {
  it('hold for the place to which a marked link of the user leads', async () => {
    put(outer, 'docs/rules.md', 'mine')
    put(outer, 'tools/hooks/pre-push', 'mine')
    put(outer, 'tools/other.md', 'mine')
    symlinkSync('docs/rules.md', join(outer, 'CLAUDE.md'))
    symlinkSync('tools/hooks', join(outer, '.husky'))
    symlinkSync('/etc/passwd', join(outer, 'AGENTS.md'))
    const changes = await block(mirror(), () => {
      for (const name of ['docs/rules.md', 'tools/hooks/pre-push', 'tools/hooks/pre-commit', 'tools/other.md'])
        put(inner, name, 'its')
      symlinkSync('../docs/rules.md', join(inner, 'tools/way'))
    })
    expect(changes).toEqual([
      'changed docs/rules.md: an agent takes orders, tools or commands from it',
      'changed tools/other.md',
      'added tools/way: an agent takes orders, tools or commands from it',
      'added tools/hooks/pre-commit: it holds hooks that run with a commit',
      'changed tools/hooks/pre-push: it holds hooks that run with a commit',
    ])
  })

  it.each(['hooksPath = tools/own', '\tHooksPath = "./tools/own/"', 'hooksPath=OUTER/tools/own'])(
    'hold for the place of hooks that Git is told: %s',
    async (setting) => {
      put(outer, '.git/config', `[core]\n${setting.replace('OUTER', outer)}\n`)
      const changes = await block(mirror(), () => {
        put(inner, 'tools/own/pre-commit', 'its')
        put(inner, 'tools/a', 'its')
      })
      expect(changes).toEqual([
        'added tools',
        'added tools/a',
        'added tools/own: the settings of Git name it as a place of hooks',
        'added tools/own/pre-commit: the settings of Git name it as a place of hooks',
      ])
    },
  )

  it('hold for a marked file whose place a directory takes, and for a marked directory whose place a file takes', async () => {
    put(outer, 'package.json', 'mine')
    mkdirSync(join(outer, '.github'))
    const changes = await block(mirror(), () => {
      rmSync(join(inner, 'package.json'))
      mkdirSync(join(inner, 'package.json'))
      rmSync(join(inner, '.github'), { recursive: true })
      put(inner, '.github', 'its')
    })
    expect(changes).toEqual([
      'changed .github: a server of builds runs it',
      'changed package.json: package managers run its scripts and load its code',
    ])
    expect([read(outer, 'package.json'), statSync(join(outer, '.github')).isDirectory()]).toEqual(['mine', true])
  })
})

it('does not bring back a directory that the user removed', async () => {
  put(outer, 'd/a.txt', 'mine')
  const its = mirror()
  await block(its, () => put(inner, 'd/package.json', 'its'))
  rmSync(join(outer, 'd'), { recursive: true })
  expect(await block(its, () => {})).toEqual([])
  expect([existsSync(join(outer, 'd')), read(inner, 'd/package.json')]).toEqual([false, 'its'])
})

it('brings nothing back to a directory that is gone, and says so', async () => {
  put(outer, 'a', 'mine')
  const all = mirror('all')
  const changes = await block(all, () => {
    put(inner, 'a', 'its')
    all.noteOwnFile('a')
    put(inner, 'b', 'its')
    rmSync(outer, { recursive: true })
  })
  expect(changes).toEqual(['added b: the directory is gone'])
  expect(existsSync(outer)).toBe(false)
  mkdirSync(outer)
})
