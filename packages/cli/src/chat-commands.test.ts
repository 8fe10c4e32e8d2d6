import { expect, it } from 'vitest'
import { resumingCommand } from './chat-commands.ts'

it.each([
  [undefined, {}, 'x chat --resume one'],
  ["my agent's.ts", { chats: 'my chats' }, String.raw`x chat 'my agent'\''s.ts' --resume one --chats 'my chats'`],
  [
    undefined,
    { baseUrl: 'http://me:pass-word@localhost:1/v1', model: 'qwen3', budget: 1 },
    "x chat --resume one --model qwen3 --base-url 'http://[redacted]@localhost:1/v1'",
  ],
])('says how a chat goes on', (file, choice, command) => {
  expect(resumingCommand('one', file, choice)).toBe(command)
})
