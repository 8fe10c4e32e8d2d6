import { openai } from '@ai-sdk/openai'
import { streamText } from 'ai'

const { textStream } = streamText({ model: openai('gpt-5-mini'), instructions: 'Be brief.', prompt: 'Say hello.' })
for await (const text of textStream) process.stdout.write(text)
