#!/usr/bin/env node
import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { addAsk } from './ask.ts'
import { addChat } from './chat.ts'
import { errorText, failUnwritten } from './command-end.ts'
import { addEval } from './eval/eval-command.ts'
import { addLog } from './log/log-command.ts'
import { addMcp } from './mcp-command.ts'
import { addReason } from './reason.ts'
import { addStudio } from './studio.ts'

const VERSION = '0.1.0'

const program = new Command('x').description('Agents that talk, on any model.').version(VERSION)
program.showHelpAfterError('(--help lists commands and options)')

addAsk(program)
addChat(program)
addReason(program)
addEval(program)
addMcp(program)
addLog(program)
addStudio(program)
// Last, so that it knows all commands: `x complete zsh` prints the script of a shell, `x complete -- words` answers it.
const completion = tab(program)
// The library keeps shells from completing files. Here they do, where there is nothing else to offer.
Object.defineProperty(completion, 'directive', {
  get: () => (completion.completions.length > 0 ? 4 : 0),
  set: () => {},
})
const printScript = completion.setup.bind(completion)
completion.setup = (name, command, shell) => {
  printScript(name, command, shell)
  if (shell === 'bash') process.stdout.write('complete -o default -F __x_complete x\n')
}

failUnwritten()
// What a person cannot be told beside the output is no reason to end.
process.stderr.on('error', () => {})
try {
  await program.parseAsync()
} catch (error) {
  const text = errorText(error)
  if (text === null) throw error
  process.stderr.write(`${text}\n`)
  process.exitCode ??= 1
}

// A module of the person may leave connections or timers open, which would keep the program for ever. What nobody has read yet is
// waited for.
setInterval(() => {
  if (process.stdout.writableLength === 0 || process.stdout.errored) process.exit()
}, 1000).unref()
