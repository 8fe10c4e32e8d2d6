#!/usr/bin/env node
import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { printable } from '@x/agent'
import { isXError } from '@x/kernel'
import { addAsk } from './ask.ts'
import { addChat } from './chat.ts'
import { addEval } from './eval/eval-command.ts'
import { addLog } from './log/log-command.ts'
import { addMcp } from './mcp-command.ts'
import { addReason } from './reason.ts'
import { addStudio } from './studio.ts'

const VERSION = '0.1.0'

const program = new Command('x').description('Agents that talk, on any model.').version(VERSION).showHelpAfterError()

addAsk(program)
addChat(program)
addReason(program)
addEval(program)
addMcp(program)
addLog(program)
addStudio(program)
// Last, so that it knows all commands: `x complete zsh` prints the script of a shell, `x complete -- words` answers it.
tab(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!isXError(error)) throw error
  // Names in a message may come from files: further lines are set in, so that none looks like another message.
  process.stderr.write(`${error.code}: ${printable(error.message).replaceAll('\n', '\n  ')}\n`)
  process.exitCode = 1
}
