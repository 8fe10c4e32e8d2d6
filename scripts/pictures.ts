/**
 * Makes the pictures of programs in `docs/pictures`.
 *
 *   pnpm pictures            makes all of them
 *   pnpm pictures --check    fails for one that is not as its program is now
 *
 * A picture is made from what a program prints without a key, so it is the same on every machine.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { terminalPicture } from './pictures/terminal.ts'
import { root } from './workspace.ts'

interface Shown {
  readonly title: string
  /** The command that the picture shows. */
  readonly command: string
  /** The program that the command starts. */
  readonly program: string
  /** Returns the lines that are shown. */
  readonly part?: (lines: readonly string[]) => readonly string[]
}

const PICTURES: Readonly<Record<string, Shown>> = {
  'demo.svg': {
    title: 'The demo in a terminal: a program of the model runs, the chat ends, and a table shows tokens and cost.',
    command: 'npx -y pnpm@12.21.0 demo',
    program: 'apps/composition/src/main.ts',
    part: (lines) =>
      ['…', ...lines.slice(lines.indexOf('```javascript'))]
        // The kind of sandbox depends on the machine.
        .filter((line) => !line.startsWith('The program of the model ran here'))
        .filter((line) => line !== ''),
  },
  'search-a-tree.svg': {
    title: 'A search in a terminal: the tree of attempts with their ratings, and stars along the way to the answer.',
    command: 'npx -y pnpm@12.21.0 example examples/search-a-tree.ts',
    program: 'examples/search-a-tree.ts',
  },
  'handoffs.svg': {
    title: 'Handoffs in a terminal: triage looks a customer up and hands over to billing, which answers.',
    command: 'npx -y pnpm@12.21.0 example examples/port-handoffs.ts',
    program: 'examples/port-handoffs.ts',
    part: (lines) => lines.filter((line) => line !== ''),
  },
  'nested-chats.svg': {
    title: 'A nested chat in a terminal: the answer to a person is made by two chats inside.',
    command: 'npx -y pnpm@12.21.0 example examples/nested-chats.ts',
    program: 'examples/nested-chats.ts',
  },
  'part-of-a-run.svg': {
    title:
      'A run in a terminal: a chat inside a tool ends, then the tool, then the chat around it, and the answer comes.',
    command: 'npx -y pnpm@12.21.0 example examples/part-of-a-run.ts',
    program: 'examples/part-of-a-run.ts',
  },
  'approve-later.svg': {
    title:
      'A run in a terminal: it is suspended, shows the call that it waits for, and answers once the call is allowed.',
    command: 'npx -y pnpm@12.21.0 example examples/approve-later.ts',
    program: 'examples/approve-later.ts',
  },
  'hosted-search.svg': {
    title:
      'A search over workers in a terminal: the answer, the number of calls, and the tree of attempts with their ratings.',
    command: 'npx -y pnpm@12.21.0 example examples/hosted-search.ts',
    program: 'examples/hosted-search.ts',
  },
  'group-chat.svg': {
    title: 'A group chat in a terminal: three agents answer a person in turn, and the last one ends the chat.',
    command: 'npx -y pnpm@12.21.0 example examples/group-chat.ts',
    program: 'examples/group-chat.ts',
  },
}

const check = process.argv.includes('--check')
for (const [name, { title, command, program, part = (lines: readonly string[]) => lines }] of Object.entries(
  PICTURES,
)) {
  const picture = terminalPicture({ title, command, lines: part(linesOf(program)) })
  const file = join(root, 'docs/pictures', name)
  if (!check) writeFileSync(file, picture)
  else if (readFileSync(file, 'utf8') !== picture) {
    console.error(`docs/pictures/${name} is not what \`${program}\` prints: run \`pnpm pictures\``)
    process.exitCode = 1
  }
}

/** Runs a program without keys in an empty folder, and returns what it prints, without blank lines at the end. */
function linesOf(program: string): string[] {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.endsWith('_API_KEY')))
  const folder = mkdtempSync(join(tmpdir(), 'picture-'))
  try {
    const printed = execFileSync(process.execPath, ['--conditions=@x/source', join(root, program)], {
      env: { ...env, NO_COLOR: '1' },
      cwd: folder,
      encoding: 'utf8',
    })
    return printed.trimEnd().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
