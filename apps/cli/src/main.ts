#!/usr/bin/env node
import { Command } from 'commander'
import { isXError } from '@x/kernel'
import { addAsk } from './ask.ts'
import { addChat } from './chat.ts'
import { demo, type DemoOptions } from './demo.ts'
import { addMcp } from './mcp-command.ts'
import { addReason } from './reason.ts'

const program = new Command('x').description('Agents that talk, on any model.').showHelpAfterError()

addAsk(program)
program
  .command('demo')
  .description('One conversation with failover and a tool call; on a simulated model unless you name a real one.')
  .option('--base-url <url>', 'root URL of an OpenAI-compatible server')
  .option('--model <name>', 'model to ask', 'gpt-5-mini')
  .action(async (options: Pick<DemoOptions, 'baseUrl' | 'model'>) => {
    await demo({ ...options, apiKey: process.env['OPENAI_API_KEY'], write: (text) => process.stdout.write(text) })
  })

addChat(program)
addReason(program)
addMcp(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!isXError(error)) throw error
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exitCode = 1
}
