import './simulated-openai.ts'
// #region program
import { createAgent, openai, type RunResult } from '@x/kit'

const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })

/** Histories where the program wants them: here in memory, by user. They are plain JSON. */
const histories = new Map<string, RunResult['messages']>()

async function answer(user: string, content: string): Promise<string> {
  const { text, messages } = await agent.run([...(histories.get(user) ?? []), { role: 'user', content }])
  histories.set(user, messages)
  return text
}

console.log(await answer('ann', 'What is the capital of France?'))
console.log(await answer('ann', 'And how many people live there?'))
// #endregion

// #region stream
const stream = agent.runStream('What is the capital of France?')
for await (const text of stream.textStream) process.stdout.write(text)
const { cost } = await stream.result
// #endregion
console.log(`\n$${cost}`)
