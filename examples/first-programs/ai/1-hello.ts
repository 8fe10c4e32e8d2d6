import { openai } from '@ai-sdk/openai'
import { generateText } from 'ai'

const { text } = await generateText({ model: openai('gpt-5-mini'), instructions: 'Be brief.', prompt: 'Say hello.' })
console.log(text)
