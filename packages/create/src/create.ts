import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { DEFAULTS, KIND_NAMES, PROVIDER_NAMES, type Choices } from './choices.ts'
import { projectFiles } from './project.ts'

const VERSION = '0.1.0'

/** The oldest Node on which a project runs: it strips types. */
const OLDEST_NODE = [22, 19] as const

/** Names of packages that npm installs. */
const NAME_PATTERN = /^[a-z0-9][a-z0-9._-]{0,213}$/u

/** The surroundings of the command. */
export interface CreateContext {
  /** The folder in which the project is made. */
  readonly cwd: string
  /** Asks a person what is missing; undefined where there is none. */
  readonly ask: ((given: Partial<Choices>) => Promise<Choices>) | undefined
  readonly write: (text: string) => void
  /** The version of Node, such as 24.21.0. */
  readonly node: string
  /** The package manager that runs this. */
  readonly manager: string
}

/** The choices that flags have made. */
interface CreateFlags {
  readonly provider?: Choices['provider']
  readonly kind?: Choices['kind']
  readonly tests?: boolean
  readonly typescript?: boolean
  readonly javascript?: boolean
  readonly yes?: boolean
}

/** Makes the command `create`, which writes a project into a new folder. */
export function createCommand(context: CreateContext): Command {
  const command = new Command('create')
    .description('Makes a project with agents, which runs without a key. Nothing is installed.')
    .version(VERSION)
    .argument('[folder]', 'folder of the project, and its name', 'my-agent')
    .addOption(new Option('--provider <name>', 'whose model answers').choices(PROVIDER_NAMES))
    .addOption(new Option('--kind <kind>', 'what the project is').choices(KIND_NAMES))
    .option('--tests', 'with tests')
    .option('--no-tests', 'without tests')
    .addOption(new Option('--typescript', 'in TypeScript').conflicts('javascript'))
    .option('--javascript', 'in JavaScript')
    .option('-y, --yes', 'asks nothing: what no flag says is OpenAI, a chat, tests and TypeScript')
    .showHelpAfterError('(--help lists the flags)')
  return command.action(async (folder: string, flags: CreateFlags) => {
    if (isOld(context.node))
      command.error(`error: this is Node ${context.node}: a project needs Node ${OLDEST_NODE.join('.')} or newer`)
    const target = resolve(context.cwd, folder)
    const fault = faultOf(target)
    if (fault) command.error(`error: cannot make a project in \`${folder}\`: ${fault}`)
    const given = readFlags(flags)
    const isComplete = Object.keys(DEFAULTS).every((key) => Object.hasOwn(given, key))
    if (!isComplete && !flags.yes && !context.ask)
      command.error(
        'error: nobody can be asked here: give `--yes`, or `--provider`, `--kind`, `--tests` and `--typescript`; behind `npm create`, flags stand after `--`',
      )
    const choices = isComplete || flags.yes ? { ...DEFAULTS, ...given } : await context.ask!(given)
    const files = projectFiles(basename(target), choices)
    try {
      writeFiles(target, files)
    } catch (error) {
      command.error(`error: cannot make a project in \`${folder}\`: ${(error as Error).message}`)
    }
    context.write(nextSteps(relative(context.cwd, target), files.size, context.manager))
  })
}

function writeFiles(target: string, files: ReadonlyMap<string, string>): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    writeFileSync(join(target, file), text)
  }
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
}

/** Says why a folder cannot become a project; undefined where it can. */
function faultOf(target: string): string | undefined {
  const name = basename(target)
  if (!NAME_PATTERN.test(name))
    return `\`${name}\` cannot be the name of a package; use lower-case letters, digits, hyphens, dots and underscores`
  // Node takes no types out of files below such a folder.
  if (name === 'node_modules') return 'packages are installed there; name a new folder'
  if (!existsSync(target)) return undefined
  try {
    // A repository without files is as good as a new folder.
    const isUsed = readdirSync(target).some((file) => file !== '.git')
    return isUsed ? 'it is not empty; name a new folder' : undefined
  } catch {
    return 'it is a file; name a new folder'
  }
}

/** The choices that the flags have made, and no others. */
function readFlags({ provider, kind, tests, typescript, javascript }: CreateFlags): Partial<Choices> {
  return {
    ...(provider !== undefined && { provider }),
    ...(kind !== undefined && { kind }),
    ...(tests !== undefined && { tests }),
    ...((typescript ?? javascript) !== undefined && { typescript: typescript === true }),
  }
}

function nextSteps(folder: string, count: number, manager: string): string {
  const shown = folder.includes(' ') ? `"${folder}"` : folder
  const steps = [...(folder === '' ? [] : [`cd ${shown}`]), `${manager} install`, `${manager} start`]
  return `Made ${count} files. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}\nREADME.md says more.\n`
}
