import { createInterface } from 'node:readline'
import { isXError } from '@x/kit'
import type { ChatMessage } from '@x/kit'
import { createAssistant } from './assistant.ts'
import { chooseModel } from '../model.ts'
import { simulated } from './simulated.ts'

const assistant = createAssistant(chooseModel(simulated))
const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '\n> ' })
let messages: readonly ChatMessage[] = []
let isOpen = true

lines.on('close', () => (isOpen = false)).prompt()
for await (const line of lines) {
  if (line.trim()) await answer(line)
  if (isOpen) lines.prompt()
}

async function answer(content: string) {
  try {
    const stream = assistant.runStream([...messages, { role: 'user', content }])
    for await (const text of stream.textStream) process.stdout.write(text)
    console.log()
    messages = (await stream.result).messages
  } catch (error) {
    if (!isXError(error)) throw error
    console.error(error.message)
  }
}
