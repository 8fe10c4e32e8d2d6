import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sandboxCommand } from '@x/exec'
import { expect, it, onTestFinished } from 'vitest'
import { changesByPerson, readDecision } from './chat-questions.ts'
import { ChatView } from './chat-view.ts'

const changes = ['package.json', 'a b.txt', 'c.txt'].map((name) => ({ name, kind: 'changed', entry: 'file' }) as const)
const diff =
  '3 changes, 1 with a risk (!):\n! changed package.json (it runs)\n\n=== changed c.txt\n@@ -1 +1 @@\n-old\n+new\u001B[2J\n'

/** A person who types lines, and what they are shown. */
function person(
  typed: readonly string[],
  view: ChatView | null = new ChatView((_, text) => text, { prices: false, members: null }),
) {
  const left = [...typed]
  let shown = ''
  const choose = changesByPerson({
    lines: { decide: async () => await Promise.resolve(left.shift() ?? null) },
    left: new AbortController().signal,
    write: async (text) => await Promise.resolve(void (shown += text)),
    view: () => view,
  })
  return { choose: async () => await choose({ changes, diff }, { run: undefined }), shown: () => shown }
}

it.each([
  ['y', { allow: true }],
  [' YES ', { allow: true }],
  ['n', { allow: false }],
  ['No', { allow: false }],
  ['no, too dear', { allow: false, reason: 'too dear' }],
  ['n because it is late', { allow: false, reason: 'because it is late' }],
  ['{"to":"Ada"}', { allow: true, arguments: { to: 'Ada' } }],
  ['{"to"', null],
  ['nothing', null],
  ['yes, please', null],
  ['what?', null],
  ['no ...', null],
  ['', null],
])('reads the decision %j', (line, decision) => {
  expect(readDecision(line, { type: 'toolCall' })).toEqual(decision)
})

it('takes any text as the answer to a question', () => {
  expect(readDecision(' no ', { type: 'question' })).toEqual({ allow: true, answer: 'no' })
  expect(readDecision('', { type: 'question' })).toBeNull()
})

it.each([
  [['y'], 'all'],
  [['S'], 'safe'],
  [['no'], 'none'],
  [[], 'none'],
  [['a b.txt'], ['a b.txt']],
  [['package.json c.txt'], ['package.json', 'c.txt']],
  [['what?', 'package.json none.txt', '', 'n'], 'none'],
])('reads %j', async (typed, choice) => {
  expect(await person(typed).choose()).toEqual(choice)
})

it('shows what changed, so that no text passes for a question of the program', async () => {
  const { choose, shown } = person(['?', 'n'])
  await choose()
  expect(shown()).toBe(
    'Code has changed a copy of your folder\n│ 3 changes, 1 with a risk (!):\n│ ! changed package.json (it runs)\n│ \n│ === changed c.txt\n│ @@ -1 +1 @@\n│ -old\n│ +new␛[2J\ny brings all back, s those without a risk (!), n none; or give the names of those that come back.\n',
  )
  const json = person(['n'], null)
  await json.choose()
  expect(JSON.parse(json.shown())).toEqual({ type: 'changesProposed', changes, diff })
})

/** Whether bubblewrap starts here: a kernel may refuse it. */
function works(): boolean {
  try {
    const { command, args } = sandboxCommand()({ command: 'true', args: [], env: {} })
    return spawnSync(command, args, { env: {} }).status === 0
  } catch {
    return false
  }
}

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'x-chat-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

it.skipIf(!works())(
  'shows the changes of code in a folder, and brings back what the person allows',
  { timeout: 60_000 },
  async () => {
    const [chats, dir] = [folder(), folder()]
    writeFileSync(join(dir, 'package.json'), '{}\n')
    const main = fileURLToPath(new URL('main.ts', import.meta.url))
    const args = ['--conditions=@x/source', main, 'chat', '--chats', chats, '--dir', dir]
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY')))
    const child = spawn(process.execPath, args, {
      env: { ...env, NO_COLOR: '1', X_NO_RECORD: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end('run echo its > package.json; echo mine > a.txt\ny\ns\nrun cat package.json\ny\n')
    let text = ''
    for await (const piece of child.stdout.setEncoding('utf8')) text += piece as string
    expect(text).toContain(
      '│ ! changed package.json (package managers run its scripts and load its code)\n│   added a.txt\n',
    )
    expect(text).toContain('│ -{}\n│ +its\n')
    expect(text).toContain('"package.json" changed: package managers run its scripts')
    // A later block sees what was held back.
    expect(text).toMatch(/cat package\.json.*\nits\nThe tool says: its/u)
    expect([readFileSync(join(dir, 'package.json'), 'utf8'), existsSync(join(dir, 'a.txt'))]).toEqual(['{}\n', true])
  },
)
