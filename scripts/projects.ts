/**
 * Makes a project of every combination of answers with the published `@x/create`, and checks that each is formatted and typed,
 * passes its tests, and starts without a key and without network. The packages of all are installed once, in the folder
 * above them.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { root, type Manifest } from './workspace.ts'

/** Runs a command in a folder and returns its output; throws with all that it printed when it fails. */
type Run = (cwd: string, command: string, args: readonly string[]) => Promise<string>

/** A project, with the answers of which it is made. */
interface Project {
  readonly folder: string
  readonly provider: string
  readonly kind: keyof typeof STARTS
  readonly tests: boolean
  readonly typescript: boolean
}

/** What each provider is called in the words of a program that has no key. */
const PROVIDERS: Readonly<Record<string, string>> = {
  simulated: 'Choose a real one in src/model.ts.',
  openai: 'Set OPENAI_API_KEY to ask gpt-5-mini.',
  anthropic: 'Set ANTHROPIC_API_KEY to ask claude-sonnet-4-5.',
  google: 'Set GEMINI_API_KEY to ask gemini-2.5-flash.',
}
/** What each kind prints at its start, and what is typed. */
const STARTS = {
  chat: { typed: 'What is the weather in Oslo?\n', printed: 'light rain and 6 degrees in Oslo' },
  endpoint: { typed: '', printed: 'You said: Hello' },
  group: { typed: '', printed: 'critic: TERMINATE' },
  search: { typed: '', printed: 'verified: 10 + 10 + 10 = 30' },
} as const
/** How many programs run at once. */
const PROGRAMS_AT_ONCE = 2
/** Runs the command of a file once for each list of words, all in one process. */
const CREATE_ALL = `import { pathToFileURL } from 'node:url'
const [node, , file, words] = process.argv
for (const each of JSON.parse(words)) {
  process.argv = [node, file, ...each]
  await import(\`\${pathToFileURL(file)}?\${each}\`)
}
`
/** Lets no program reach a network. */
const NO_NETWORK = "import { forbidNetwork } from '@x/testing'\nforbidNetwork()\n"

const projects: readonly Project[] = Object.keys(PROVIDERS).flatMap((provider) =>
  (Object.keys(STARTS) as Project['kind'][]).flatMap((kind) =>
    [true, false].flatMap((tests) =>
      [true, false].map((typescript) => ({
        folder: [provider, kind, tests ? 'tests' : 'no-tests', typescript ? 'ts' : 'js'].join('-'),
        ...{ provider, kind, tests, typescript },
      })),
    ),
  ),
)

/** Makes all projects in a folder that is set up for the registry, and checks them; returns how many there are. */
export async function checkProjects(home: string, scope: string, run: Run): Promise<number> {
  const template = readFileSync(join(root, 'packages/create/templates/project/package.json'), 'utf8')
  const { dependencies, devDependencies } = JSON.parse(template) as Manifest
  const needed = Object.entries({ ...dependencies, ...devDependencies }).map(([name, range]) => `${name}@${range}`)
  await run(home, 'pnpm', ['add', '--ignore-scripts', `${scope}/create`, ...needed])
  writeFileSync(join(home, 'no-network.mjs'), NO_NETWORK.replace('@x/', `${scope}/`))
  const words = projects.map(({ folder, provider, kind, tests, typescript }) => [
    ...[folder, '--provider', provider, '--kind', kind],
    ...[tests ? '--tests' : '--no-tests', typescript ? '--typescript' : '--javascript'],
  ])
  writeFileSync(join(home, 'create-all.mjs'), CREATE_ALL)
  await run(home, 'node', [
    'create-all.mjs',
    join(home, 'node_modules', scope, 'create/dist/main.js'),
    JSON.stringify(words),
  ])
  await run(home, 'pnpm', ['exec', 'oxfmt', '--check', ...projects.map(({ folder }) => folder)])
  const typed = projects.filter(({ typescript }) => typescript).map(({ folder }) => folder)
  await run(home, 'pnpm', ['exec', 'tsc', '-b', ...typed])
  const report = await run(home, 'node', ['--test', '--test-isolation=none', '--test-reporter=tap'])
  const passed = Number(/^# pass (\d+)$/mu.exec(report)?.[1])
  if (!(passed >= projects.filter(({ tests }) => tests).length))
    throw new Error(`the projects have ${passed} tests that pass:\n${report}`)
  await inTurns(projects, async (each) => await checkStart(home, each))
  return projects.length
}

/** Starts a program without keys and network, and compares what it prints. */
async function checkStart(home: string, project: Project): Promise<void> {
  const { folder, provider, kind, typescript } = project
  const { typed, printed } = STARTS[kind]
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), NODE_OPTIONS: '--import=../no-network.mjs' }
  for (const name of Object.keys(env)) if (name.endsWith('_API_KEY')) delete (env as NodeJS.ProcessEnv)[name]
  const program = spawn(process.execPath, [`src/main.${typescript ? 'ts' : 'js'}`], { cwd: join(home, folder), env })
  let text = ''
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (kind === 'endpoint' && part.includes('Ask it: ')) void askEndpoint()
    })
  const askEndpoint = async (): Promise<void> => {
    const request = { method: 'POST', body: '{"message":"Hello"}' }
    text += await fetch(`http://127.0.0.1:${port}/chat`, request).then(
      async (response) => await response.text(),
      (error: unknown) => String(error),
    )
    program.kill()
  }
  program.stdin.end(typed)
  const [code] = (await once(program, 'close')) as [number | null]
  const isRight = text.includes(PROVIDERS[provider]!.replace('.ts.', typescript ? '.ts.' : '.js.'))
  if (!isRight || !text.includes(printed) || (code !== 0 && kind !== 'endpoint'))
    throw new Error(`${folder} ended with ${code} and printed:\n${text}`)
}

/** Works through a list, a few at once. */
async function inTurns<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const waiting = [...list]
  const worker = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await work(each)
  }
  await Promise.all(Array.from({ length: PROGRAMS_AT_ONCE }, worker))
}
