import { shop } from './shop.ts'

const { text, toolCalls } = await shop.run('Where is my order 17?')
console.log(text)
for (const { name, arguments: given, result } of toolCalls) console.log(name, given, '→', result)
