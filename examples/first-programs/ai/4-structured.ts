import { openai } from '@ai-sdk/openai'
import { generateText, Output } from 'ai'
import { z } from 'zod'

const Recipe = z.object({ name: z.string(), steps: z.array(z.string()) })
const { output } = await generateText({
  model: openai('gpt-5-mini'),
  instructions: 'You write recipes.',
  output: Output.object({ schema: Recipe }),
  prompt: 'Lasagna',
})
console.log(output.steps)
