import { createCodeExecutor } from '@x/exec'

// Takes, for each language, the first way that really works here; it never runs code on the host.
await using executor = createCodeExecutor('auto', { timeout: 10, limits: { memoryBytes: 256 * 2 ** 20 } })

const blocks = executor.codeReader.extractCode(`
Here it is:

\`\`\`typescript
const squares: number[] = [1, 2, 3].map((n) => n * n)
console.log(squares)
\`\`\`
`)
const { exitCode, output } = await executor.executeCodeBlocks(blocks)
console.log(exitCode, output.trim(), executor.isolation)
