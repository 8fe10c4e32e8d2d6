/**
 * Makes the recordings of a terminal in `docs/pictures`: programs that a person works with, as pictures that move. Each runs
 * without a key in a terminal of its own (`script` of util-linux), so that it prints colours and asks as it does for people. The
 * times are those of a reader and not those of the machine.
 *
 *   pnpm recordings            makes all of them
 *   pnpm recordings chat       makes one
 *   pnpm recordings --check    plays them again, and fails where a program no longer prints what the picture shows
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RecordedTerminal } from './pictures/recorded-terminal.ts'
import { root } from './workspace.ts'

/** A person types `text` when `after` stands on the screen. */
interface Typed {
  readonly after: string
  readonly text: string
}

/** A session of a person with a program. */
interface Session {
  readonly title: string
  /** The command as a person types it. */
  readonly command: string
  /** The program and its arguments, with the conditions of the workspace. */
  readonly program: readonly string[]
  readonly typed: readonly Typed[]
  readonly rows: number
}

const X = 'packages/cli/src/main.ts'

const SESSIONS: Readonly<Record<string, Session>> = {
  demo: {
    title:
      'The demo in a terminal: a model calls a tool and writes a program, which runs in a sandbox; then tokens and cost.',
    command: 'pnpm demo',
    program: ['apps/composition/src/main.ts'],
    typed: [],
    rows: 26,
  },
  chat: {
    title: 'A chat in a terminal: the model writes a program, a person allows it, and it runs in a sandbox.',
    command: 'x chat',
    program: [X, 'chat'],
    typed: [
      { after: '›', text: 'compute 2 ** 10' },
      { after: 'Allow?', text: 'y' },
      { after: '20 tokens in, 10 out · $0\n›', text: '/usage' },
      { after: '10 out, $0\n›', text: '/exit' },
    ],
    rows: 24,
  },
  reason: {
    title:
      'A search in a terminal: calls, tokens and the best thought while it runs, then its tree with the way to the answer.',
    command: 'x reason 30 --task coins.js',
    program: [X, 'reason', '30', '--task', 'packages/cli/src/coins.fake.ts'],
    typed: [],
    rows: 32,
  },
}

/** Times in milliseconds as a reader needs them. */
const KEY_MS = 55
const BEFORE_TYPING_MS = 900
const AFTER_RETURN_MS = 350
const LINE_MS = 130
const COLUMNS = 100
/** Time in which a program shows a key. */
const ECHO_MS = 40
/** A program that has not printed for this long waits for the person. */
const QUIET_MS = 700
/** A program that has printed nothing that is waited for, for this long, hangs. */
const MAX_WAIT_MS = 60_000

/** The words that another machine or day prints in another way: times, the name of a chat, the sandbox that there is. */
const CHANGING = /\b\d+(?:\.\d+)? ?m?s\b|\d{4}-\d\d-\d\dT\d{6}-\w+|(?<=ran here: )\w+/gu

const check = process.argv.includes('--check')
const wanted = process.argv.slice(2).filter((name) => name !== '--check')
for (const [name, session] of Object.entries(SESSIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  // eslint-disable-next-line no-await-in-loop -- two sessions at once would disturb each other's quiet
  const screen = await record(session)
  const words = screen.words.replaceAll(CHANGING, '…')
  const file = join(root, 'docs/pictures', `recording-${name}`)
  if (!check) {
    writeFileSync(`${file}.svg`, screen.picture(session.title))
    writeFileSync(`${file}.txt`, words)
  } else if (readFileSync(`${file}.txt`, 'utf8') !== words) {
    console.error(`recording-${name}.svg is not what its program prints: pnpm recordings ${name}\n${words}`)
    process.exitCode = 1
  }
  console.log(`docs/pictures/recording-${name}.svg`)
}

/** Plays a session on a screen. */
async function record({ command, program, typed, rows }: Session): Promise<RecordedTerminal> {
  const state = mkdtempSync(join(tmpdir(), 'recording-'))
  const screen = new RecordedTerminal({ columns: COLUMNS, rows })
  await screen.print('$ ', BEFORE_TYPING_MS)
  for (const key of command) await screen.print(key, KEY_MS)
  await screen.print('\r\n', AFTER_RETURN_MS)
  try {
    await play(screen, { program, typed, rows, state })
  } finally {
    rmSync(state, { recursive: true })
  }
  return screen
}

async function play(
  screen: RecordedTerminal,
  { program, typed, rows, state }: Pick<Session, 'program' | 'typed' | 'rows'> & { readonly state: string },
): Promise<void> {
  const words = [process.execPath, '--conditions=@x/source', ...program].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `stty cols ${COLUMNS} rows ${rows} -echo; ${words}`, '/dev/null'], {
    cwd: root,
    // No key and no colour setting of the machine reaches the program.
    env: { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: '/tmp/state', TERM: 'xterm-256color' },
  })
  const printed: string[] = []
  let last = Date.now()
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    printed.push(part)
    last = Date.now()
  })
  const end = new AbortController()
  const ended = once(child, 'close').then(() => end.abort())
  const waiting = [...typed]
  while (!end.signal.aborted || printed.length > 0) {
    const part = printed.splice(0).join('')
    if (part) await screen.printLines(part, LINE_MS)
    if (Date.now() - last > MAX_WAIT_MS) {
      child.kill()
      throw new Error(`the program hangs, and shows:\n${screen.text}`)
    }
    const next = waiting[0]
    const isQuiet = Date.now() - last > QUIET_MS
    if (next && isQuiet && screen.text.includes(next.after)) {
      waiting.shift()
      await screen.pause(BEFORE_TYPING_MS)
      for (const key of `${next.text}\r`) {
        child.stdin.write(key)
        // The program shows what is typed.
        await new Promise<void>((resolve) => setTimeout(resolve, ECHO_MS))
        await screen.print(printed.splice(0).join(''), KEY_MS)
      }
      last = Date.now()
    }
    await Promise.race([ended, new Promise<void>((resolve) => setTimeout(resolve, 50))])
  }
  rmSync('/tmp/state', { recursive: true, force: true })
}
